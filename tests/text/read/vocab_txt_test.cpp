#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/text.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Tokenizer load(const std::string& vocabulary, const std::string& config) {
  const TemporaryFolder folder;
  write_text(folder / "vocab.txt", vocabulary);
  write_text(folder / "tokenizer_config.json", config);
  return Tokenizer::load(folder.path());
}

constexpr const char* kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n";

std::string refusal_of_vocab_txt(const std::string& vocabulary, const std::string& config) {
  return message_of<CheckpointError>([&] { load(vocabulary, config); });
}

TEST(VocabTxt, HasTheIdsOfTransformers) {
  const Json golden = text::golden("vocab_txt.json");
  for (const Json& row : golden["cases"]) {
    const Tokenizer tokenizer = load(row[0], row[1].dump());
    for (size_t i = 0; i < golden["texts"].size(); ++i) {
      const std::string text = golden["texts"][i];
      EXPECT_EQ(Json(tokenizer.encode(text).ids), row[2][i]) << row[1] << text;
    }
  }
}

TEST(VocabTxt, ReadsTheMaximalLength) {
  EXPECT_EQ(load(kVocabulary, "{}").model_max_length(), std::nullopt);
  EXPECT_EQ(load(kVocabulary, R"({"model_max_length": 512})").model_max_length(), 512);
  EXPECT_EQ(load(kVocabulary, R"({"model_max_length": 1000000000000000019884624838656})").model_max_length(),
            std::nullopt);
}

TEST(VocabTxt, NamesMissingSpecialTokens) {
  EXPECT_THAT(refusal_of_vocab_txt("[PAD]\n[UNK]\nthe\n", "{}"), HasSubstr("without \"[CLS]\""));
  EXPECT_THAT(refusal_of_vocab_txt(kVocabulary, R"({"unk_token": "<unk>"})"), HasSubstr("without \"<unk>\""));
  EXPECT_THAT(refusal_of_vocab_txt("", "{}"), HasSubstr("vocab.txt"));
}

TEST(VocabTxt, RefusesInvalidUtf8) {
  EXPECT_THAT(refusal_of_vocab_txt("[PAD]\n\xff\xfe\n", "{}"), HasSubstr("byte offset 6"));
  EXPECT_THAT(refusal_of_vocab_txt(std::string(70'000, 'x'), "{}"), HasSubstr("vocab.txt:1"));
}

TEST(VocabTxt, NamesFaultsOfTheConfig) {
  EXPECT_THAT(refusal_of_vocab_txt(kVocabulary, R"({"do_lower_case": "yes"})"), HasSubstr("do_lower_case = \"yes\""));
  EXPECT_THAT(refusal_of_vocab_txt(kVocabulary, R"({"model_max_length": 0})"), HasSubstr("model_max_length = 0"));
  EXPECT_THAT(refusal_of_vocab_txt(kVocabulary, R"({"pad_token": 3})"), HasSubstr("pad_token = 3"));
}

}  // namespace
}  // namespace portatune::text
