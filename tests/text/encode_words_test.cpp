// Compares words with transformers: tests/oracle/tasks/make_token_classification_cases.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "io/temporary_folder.h"
#include "portatune/text.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using Json = nlohmann::json;

Tokenizer load(const std::string& name) {
  if (name == "tiny_bert") return Tokenizer::load(PORTATUNE_TEST_DATA "/tiny_bert");
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", small_tokenizer_json(golden("components.json"), name).dump());
  return Tokenizer::load(folder.path());
}

TEST(EncodeWords, HasTheIdsAndWordIdsOfTransformers) {
  std::map<std::string, Tokenizer> tokenizers;
  std::set<std::string> seen;
  const Json cases = golden("../tasks/token_classification.json");
  for (const Json& row : cases["encodings"]) {
    const std::string name = row["tokenizer"];
    if (seen.insert(name).second) tokenizers.emplace(name, load(name));
    const std::vector<std::string> words = row["words"];
    const Encoding encoding =
        tokenizers.at(name).encode_words(words, {.max_length = row["max_length"], .with_offsets = true});
    EXPECT_EQ(Json(encoding.ids), row["ids"]) << name << row["words"];
    EXPECT_EQ(Json(encoding.word_ids), row["word_ids"]) << name << row["words"];
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(EncodeWords, OffsetsCountFromTheStartOfTheWord) {
  const std::vector<std::string> words = {"good", "film."};
  const Encoding encoding = load("tiny_bert").encode_words(words, {.with_offsets = true});
  EXPECT_THAT(encoding.offsets,
              testing::ElementsAre(Offsets{0, 0}, Offsets{0, 4}, Offsets{0, 4}, Offsets{4, 5}, Offsets{0, 0}));
}

TEST(EncodeWords, AddsNoSpaceToTheNextText) {
  const Tokenizer tokenizer = load("GPT-2 False");
  const std::string text = "good film";
  const std::vector<int32_t> before = tokenizer.encode(text).ids;
  EXPECT_NE(tokenizer.encode_words(std::span(&text, 1)).ids, before);
  EXPECT_EQ(tokenizer.encode(text).ids, before);
}

}  // namespace
}  // namespace portatune::text
