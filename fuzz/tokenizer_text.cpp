// Encoding any text equals running the stages in sequence, with and without offsets. Offsets are ordered and within the
// text, and the ids can be decoded. The first byte selects the tokenizer.
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "portatune/error.h"
#include "portatune/text/byte_level.h"
#include "portatune/text/encode/text_encoder.h"
#include "portatune/text/read/components.h"
#include "portatune/text/unicode/utf8.h"

namespace {

using namespace portatune::text;

constexpr const char* kUnigram =
    R"({"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁",-2],["a",-2],["ab",-2.5],["▁the",-3],["é",-4],["中文",-3]]})";

std::string byte_level_model() {
  std::string vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string character(text_of_byte(static_cast<unsigned char>(byte)));
    const std::string escaped = character == "\"" || character == "\\" ? "\\" + character : character;
    vocabulary += "\"" + escaped + "\":" + std::to_string(byte) + ",";
  }
  return R"({"type":"BPE","vocab":{)" + vocabulary +
         R"("th":256,"the":257,"Ġthe":258,"ĠĠ":259},"merges":[["t","h"],["th","e"],["Ġ","the"],["Ġ","Ġ"]]})";
}

std::string tokenizer(const std::string& model, const std::string& stages) {
  return R"({"model":)" + model + "," + stages + "}";
}

std::unique_ptr<Tokenizer::Parts> parse(const std::string& text) {
  const JsonFile json(text, "fuzz");
  return std::make_unique<Tokenizer::Parts>(parse_tokenizer_json(json), TokenizerConfig{});
}

// A tokenizer, and the same tokenizer without its fast paths.
struct Loaded {
  std::unique_ptr<Tokenizer::Parts> parts, stages;
};

Loaded load(const std::string& text) {
  Loaded loaded{parse(text), parse(text)};
  loaded.stages->fused = nullptr;
  loaded.stages->by_segment = false;
  return loaded;
}

const Loaded& choose(uint8_t number) {
  static const std::string kAdded =
      R"("added_tokens":[{"content":"<m>","single_word":false,"lstrip":true,"rstrip":true,"normalized":false,"special":true},)"
      R"({"content":"The","single_word":true,"lstrip":false,"rstrip":false,"normalized":true,"special":false}])";
  static const std::array tokenizers{
      load(tokenizer(
          byte_level_model(),
          kAdded + R"(,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true},"decoder":{"type":"ByteLevel"})")),
      load(tokenizer(
          byte_level_model(),
          R"("normalizer":{"type":"NFC"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":)"
          R"({"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},)"
          R"("behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})")),
      load(tokenizer(kUnigram,
                     kAdded +
                         R"(,"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKD"},{"type":"StripAccents"},)"
                         R"({"type":"Lowercase"},{"type":"Strip","strip_left":true,"strip_right":true}]},)"
                         R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"})")),
      load(tokenizer(
          kUnigram,
          R"("normalizer":{"type":"NFKC"},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\p{Lu}?\\w+|\\s"},)"
          R"("behavior":"MergedWithNext","invert":false})")),
      load(tokenizer(kUnigram, R"("normalizer":{"type":"Sequence","normalizers":[{"type":"NFKD"},{"type":"Lowercase"},)"
                               R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},)"
                               R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"})"))};
  return tokenizers[number % tokenizers.size()];
}

void check(const Loaded& loaded, std::string_view text) {
  TextEncoder encoder(*loaded.parts), stages(*loaded.stages);
  stages.encode({.first = text}, {.with_offsets = true});
  const Sequence& expected = stages.first;
  const auto length = static_cast<int32_t>(count_code_points(text));
  for (const auto& [offsets, word_id] : expected.sources) {
    if (offsets.begin < 0 || offsets.begin > offsets.end || offsets.end > length) std::abort();
  }
  encoder.encode({.first = text}, {.with_offsets = true});
  const Sequence& found = encoder.first;
  if (found.ids != expected.ids || found.sources != expected.sources) std::abort();
  encoder.encode({.first = text}, {});
  if (encoder.first.ids != expected.ids) std::abort();
  loaded.parts->decode(expected.ids, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    check(choose(data[0]), std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  } catch (const portatune::DataError&) {  // not UTF-8
  }
  return 0;
}
