// Writes a tokenizer's results for many examples, for tests/oracle/text/compare_tokenizer.py.
//   portatune_tokenizer_dump FOLDER REQUESTS MAX_LENGTH STRATEGY ADD_SPECIAL_TOKENS > ANSWERS
// REQUESTS: for each example 1 or 2 (texts), then for each text its size in bytes and the bytes. Numbers are int32.
// ANSWERS, int32: for each example the number of tokens, ids, type ids, special tokens mask, sequence ids, word ids,
// offsets; then the number of ids of IdEncoder, and these; then the decoded text, with and without special tokens, each
// as its size in bytes and the bytes, padded to a whole int32. After an error -1 replaces a number, and nothing follows
// it.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "portatune/error.h"
#include "portatune/text.h"

namespace {

using namespace portatune;

class Requests {
 public:
  explicit Requests(const char* file) {
    std::ifstream in(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  bool done() const { return at_ == bytes_.size(); }
  int32_t number() {
    int32_t value;
    bytes_.copy(reinterpret_cast<char*>(&value), sizeof(value), at_);
    at_ += sizeof(value);
    return value;
  }
  std::string_view text() {
    const auto size = static_cast<size_t>(number());
    at_ += size;
    return std::string_view(bytes_).substr(at_ - size, size);
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

template <class T>
void put(const std::vector<T>& values) {
  std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}
void put_number(int64_t number) { put(std::vector<int32_t>{static_cast<int32_t>(number)}); }

void put_text(std::string text) {
  put_number(std::ssize(text));
  text.resize((text.size() + 3) / 4 * 4);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void put_encoding(const text::Encoding& encoding) {
  put_number(std::ssize(encoding.ids));
  for (const auto* values :
       {&encoding.ids, &encoding.type_ids, &encoding.special_tokens_mask, &encoding.sequence_ids, &encoding.word_ids}) {
    put(*values);
  }
  put(encoding.offsets);
}

}  // namespace

int main(int, char** arguments) {
  const auto tokenizer = text::Tokenizer::load(arguments[1]);
  text::IdEncoder encoder(tokenizer);
  text::EncodeOptions options{.max_length = std::atoi(arguments[3]),
                              .truncation = static_cast<text::TruncationStrategy>(std::atoi(arguments[4])),
                              .add_special_tokens = std::atoi(arguments[5]) != 0,
                              .with_offsets = true};
  for (Requests requests(arguments[2]); !requests.done();) {
    const bool pair = requests.number() == 2;
    text::TextPair texts{.first = requests.text()};
    if (pair) texts.second = requests.text();
    try {
      put_encoding(tokenizer.encode(texts, options));
    } catch (const Error&) {
      put_number(-1);
    }
    try {
      std::vector<int32_t> ids;
      encoder.append(texts, options, ids);
      put_number(std::ssize(ids));
      put(ids);
      for (const bool skip : {false, true}) put_text(tokenizer.decode(ids, {.skip_special_tokens = skip}));
    } catch (const Error&) {
      put_number(-1);
    }
  }
}
