// Compares each component of tokenizer.json with `tokenizers`: tests/oracle/text/make_component_goldens.py.
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/text.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using Json = nlohmann::json;

std::string digest(const std::string& text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  char digits[9];
  std::snprintf(digits, sizeof(digits), "%08x", static_cast<unsigned>(hash));
  return digits;
}

TextPair pair_of(const std::vector<std::string>& texts) {
  TextPair pair{.first = texts[0]};
  if (texts.size() > 1) pair.second = texts[1];
  return pair;
}

std::string described(const Tokenizer& tokenizer, const TextPair& texts) {
  const Encoding e = tokenizer.encode(texts, {.with_offsets = true});
  Json offsets = Json::array();
  for (const Offsets& o : e.offsets) {
    offsets.push_back(o.begin);
    offsets.push_back(o.end);
  }
  const Json all{e.ids, e.type_ids, e.special_tokens_mask, e.sequence_ids, e.word_ids, offsets};
  return all.dump() + "\n" + tokenizer.decode(e.ids) + "\n" + tokenizer.decode(e.ids, {.skip_special_tokens = true});
}

Tokenizer load(const Json& golden, const std::string& name) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", small_tokenizer_json(golden, name).dump());
  return Tokenizer::load(folder.path());
}

TEST(Components, EqualThoseOfTokenizers) {
  const Json golden = text::golden("components.json");
  for (const auto& [name, changes] : golden["tokenizers"].items()) {
    const Tokenizer tokenizer = load(golden, name);
    IdEncoder encoder(tokenizer);
    for (size_t i = 0; i < golden["cases"].size(); ++i) {
      const std::vector<std::string> texts = golden["cases"][i];
      const std::string expected = golden["digests"][name][i];
      if (expected == "error") continue;  // tokenizers refuses or panics
      EXPECT_EQ(digest(described(tokenizer, pair_of(texts))), expected) << name << ": " << texts[0];
      std::vector<int32_t> ids;
      encoder.append(pair_of(texts), {}, ids);
      EXPECT_EQ(ids, tokenizer.encode(pair_of(texts)).ids) << name << ": " << texts[0];
    }
  }
}

}  // namespace
}  // namespace portatune::text
