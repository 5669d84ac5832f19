// Encodes texts once and prints how long that took. Used by bench/tokenizer.py.
//   portatune_tokenizer_bench FOLDER TEXTS IDS WHAT THREADS
// TEXTS: the texts, each behind its size in bytes as int32. Writes to IDS, for each text, the number of ids and the ids
// as int32. WHAT: ids, or offsets (which come with the ids). Prints the CPU seconds for loading the tokenizer, and
// those for encoding, of the processor and of the clock on the wall.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <thread>

#include "clocks.h"
#include "portatune/text.h"

namespace {

using namespace portatune;

using Texts = std::vector<std::string_view>;

Texts split(std::string_view bytes) {
  Texts texts;
  for (size_t at = 0; at < bytes.size();) {
    int32_t size;
    std::memcpy(&size, bytes.data() + at, sizeof(size));
    texts.push_back(bytes.substr(at + sizeof(size), static_cast<size_t>(size)));
    at += sizeof(size) + static_cast<size_t>(size);
  }
  return texts;
}

// Result of a thread: the ids of its texts one after the other.
struct Encoded {
  std::vector<int32_t> ids;
  std::vector<size_t> ends;
};

Encoded ids_of(const text::Tokenizer& tokenizer, std::span<const std::string_view> texts) {
  constexpr size_t kBytesAnId = 3;  // about; more ids cost a reallocation
  text::IdEncoder encoder(tokenizer);
  Encoded encoded;
  size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  encoded.ids.reserve(bytes / kBytesAnId);
  encoded.ends.reserve(texts.size());
  for (const std::string_view text : texts) {
    encoder.append({.first = text}, {}, encoded.ids);
    encoded.ends.push_back(encoded.ids.size());
  }
  return encoded;
}

std::vector<text::Encoding> encodings_of(const text::Tokenizer& tokenizer, std::span<const std::string_view> texts) {
  std::vector<text::Encoding> encodings;
  encodings.reserve(texts.size());
  for (const std::string_view text : texts) encodings.push_back(tokenizer.encode(text, {.with_offsets = true}));
  return encodings;
}

// Consecutive parts of the texts, of about as many bytes each.
std::vector<std::span<const std::string_view>> equal_parts(std::span<const std::string_view> texts, size_t count) {
  size_t total = 0;
  for (const std::string_view text : texts) total += text.size();
  std::vector<std::span<const std::string_view>> parts;
  size_t begin = 0, end = 0, bytes = 0;
  for (size_t i = 1; i <= count; ++i) {
    while (end < texts.size() && (i == count || bytes < total * i / count)) bytes += texts[end++].size();
    parts.push_back(texts.subspan(begin, end - begin));
    begin = end;
  }
  return parts;
}

// encode(tokenizer, part) of parts of the texts, one a thread, this one included.
template <class Encode>
auto in_threads(const text::Tokenizer& tokenizer, const Texts& texts, size_t threads, const Encode& encode) {
  std::vector<decltype(encode(tokenizer, texts))> parts(threads);
  const auto shares = equal_parts(texts, threads);
  std::vector<std::jthread> running;
  for (size_t i = 1; i < threads; ++i) running.emplace_back([&, i] { parts[i] = encode(tokenizer, shares[i]); });
  parts[0] = encode(tokenizer, shares[0]);
  running.clear();  // waits
  return parts;
}

void write(std::ofstream& out, std::span<const int32_t> ids) {
  const auto count = static_cast<int32_t>(ids.size());
  out.write(reinterpret_cast<const char*>(&count), sizeof(count));
  out.write(reinterpret_cast<const char*>(ids.data()), static_cast<std::streamsize>(ids.size_bytes()));
}

void write(std::ofstream& out, const Encoded& encoded) {
  size_t begin = 0;
  for (const size_t end : encoded.ends) {
    write(out, std::span(encoded.ids).subspan(begin, end - begin));
    begin = end;
  }
}

void write(std::ofstream& out, const std::vector<text::Encoding>& encodings) {
  for (const text::Encoding& encoding : encodings) write(out, std::span(encoding.ids));
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[2], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const Texts texts = split(bytes);
  const size_t threads = std::stoul(arguments[5]);

  const double load_start = cpu_seconds();
  const auto tokenizer = text::Tokenizer::load(arguments[1]);
  const double load_s = cpu_seconds() - load_start;

  std::ofstream out(arguments[3], std::ios::binary);
  const auto measure = [&](const auto& encode) {
    const double cpu_start = cpu_seconds(), start = seconds(CLOCK_MONOTONIC);
    const auto parts = in_threads(tokenizer, texts, threads, encode);
    std::printf("%.6f %.6f %.6f\n", load_s, cpu_seconds() - cpu_start, seconds(CLOCK_MONOTONIC) - start);
    for (const auto& part : parts) write(out, part);
  };
  std::string_view(arguments[4]) == "offsets" ? measure(encodings_of) : measure(ids_of);
}
