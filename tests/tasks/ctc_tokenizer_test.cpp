// Comparison with Wav2Vec2CTCTokenizer: tests/oracle/tasks/make_ctc_tokenizer_cases.py.
#include "portatune/tasks/rows/ctc_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/rows/letter_case.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const json& tokenizer_golden() {
  static const json kGolden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/ctc_tokenizer.json"));
  return kGolden;
}

CtcTokenizer loaded_tokenizer(const json& files) {
  const TemporaryFolder folder;
  for (const auto& [name, content] : files.items()) write_text(folder / name, content.get<std::string>());
  return CtcTokenizer::load(folder.path());
}

void expect_tokenizer(const CtcTokenizer& tokenizer, const json& expected) {
  EXPECT_EQ(tokenizer.size(), expected["size"].get<int64_t>());
  EXPECT_EQ(tokenizer.blank_id(), expected["blank"].get<int32_t>());
  const std::vector<std::string> texts = tokenizer_golden()["texts"];
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(tokenizer.encode(texts[i]), expected["labels"][i].get<std::vector<int32_t>>()) << texts[i];
  }
  for (size_t i = 0; i < expected["frames"].size(); ++i) {
    const std::vector<int32_t> frames = expected["frames"][i];
    EXPECT_EQ(tokenizer.decode(frames), expected["texts"][i]) << expected["frames"][i];
    EXPECT_EQ(tokenizer.decode_labels(frames), expected["spelled"][i]) << expected["frames"][i];
  }
}

TEST(CtcTokenizer, EqualsTransformersWithItsSavedFiles) {
  for (const auto& [name, expected] : tokenizer_golden()["cases"].items()) {
    SCOPED_TRACE(name);
    expect_tokenizer(loaded_tokenizer(expected["files"]), expected);
  }
}

TEST(CtcTokenizer, EqualsTransformersWithVocabularyAndOptionsAlone) {
  for (const auto& [name, expected] : tokenizer_golden()["cases"].items()) {
    SCOPED_TRACE(name);
    const json files = {{"vocab.json", expected["vocabulary"].dump()},
                        {"tokenizer_config.json", expected["options"].dump()}};
    expect_tokenizer(loaded_tokenizer(files), expected);
  }
}

TEST(CtcTokenizer, MakesTheVocabularyOfTransformersScript) {
  const json& expected = tokenizer_golden()["cases"]["made"];
  std::set<char32_t> characters;
  for (const std::string text : tokenizer_golden()["trained"]) {
    const std::string lower = lower_case(text);
    for (size_t at = 0; at < lower.size();) characters.insert(text::next_code_point(lower, at));
  }
  const CtcTokenizer made = CtcTokenizer::of_characters(characters);
  expect_tokenizer(made, expected);
  EXPECT_EQ(made.files().at("vocab.json"), expected["files"]["vocab.json"]);
  EXPECT_EQ(made.files().at("added_tokens.json"), expected["files"]["added_tokens.json"]);
  expect_tokenizer(loaded_tokenizer(made.files()), expected);
}

TEST(CtcTokenizer, KnowsTheCaseOfItsLetters) {
  const auto case_of = [](const json& vocabulary) {
    return loaded_tokenizer({{"vocab.json", vocabulary.dump()}}).letter_case();
  };
  EXPECT_EQ(case_of({{"A", 0}, {"<pad>", 1}}), LetterCase::kUpper);
  EXPECT_EQ(case_of({{"a", 0}, {"<pad>", 1}}), LetterCase::kLower);
  EXPECT_EQ(case_of({{"a", 0}, {"B", 1}}), LetterCase::kBoth);
  EXPECT_EQ(case_of({{"1", 0}}), LetterCase::kLower);
}

TEST(CtcTokenizer, NamesFaultyFiles) {
  const auto error = [](const json& files) { return message_of<CheckpointError>([&] { loaded_tokenizer(files); }); };
  EXPECT_THAT(error({{"vocab.json", R"({"a": "b"})"}}), HasSubstr("vocab.json, a"));
  EXPECT_THAT(error({{"vocab.json", "{}"}, {"tokenizer_config.json", R"({"pad_token": 1})"}}), HasSubstr("pad_token"));
  EXPECT_THROW(loaded_tokenizer(json::object()), NotFoundError);
}

TEST(LetterCase, EqualsPython) {
  const json& texts = tokenizer_golden()["texts"];
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(lower_case(texts[i].get<std::string>()), tokenizer_golden()["lower"][i]);
    EXPECT_EQ(upper_case(texts[i].get<std::string>()), tokenizer_golden()["upper"][i]);
  }
}

}  // namespace
}  // namespace portatune::tasks
