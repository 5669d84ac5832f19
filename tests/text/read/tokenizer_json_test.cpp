#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/text.h"
#include "portatune/text/read/spec.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string refusal_of_text(const std::string& text) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", text);
  return message_of<CheckpointError>([&] { read_tokenizer_json(folder / "tokenizer.json"); });
}

// The error for a valid tokenizer of the goldens with one changed value.
std::string refusal_of_tokenizer_json(const std::string& pointer, const Json& value) {
  Json json = golden("encodings.json")["base"];
  json[Json::json_pointer(pointer)] = value;
  return refusal_of_text(json.dump());
}

TEST(TokenizerJson, NamesAGitLfsPointer) {
  EXPECT_THAT(refusal_of_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
              HasSubstr("git lfs pull"));
}

TEST(TokenizerJson, NamesUnsupportedComponents) {
  EXPECT_THAT(refusal_of_tokenizer_json("/model/type", "WordLevel"),
              AllOf(HasSubstr("tokenizer.json"), HasSubstr("model \"WordLevel\" at model")));
  EXPECT_THAT(refusal_of_tokenizer_json("/pre_tokenizer/type", "UnicodeScripts"),
              HasSubstr("pre_tokenizer \"UnicodeScripts\""));
  EXPECT_THAT(refusal_of_tokenizer_json("/normalizer/type", "NFX"), HasSubstr("normalizer \"NFX\" at normalizer"));
  EXPECT_THAT(refusal_of_tokenizer_json("/post_processor/type", "Odd"), HasSubstr("post_processor \"Odd\""));
  EXPECT_THAT(refusal_of_tokenizer_json("/decoder", {{"type", "CTC"}}), HasSubstr("decoder \"CTC\" at decoder"));
  const Json sequence{{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "NFX"}}}}};
  EXPECT_THAT(refusal_of_tokenizer_json("/normalizer", sequence),
              HasSubstr("normalizer \"NFX\" at normalizer.normalizers.1"));
}

TEST(TokenizerJson, NamesFieldsOfTheWrongType) {
  EXPECT_THAT(refusal_of_tokenizer_json("/version", "2.0"), HasSubstr("version = \"2.0\""));
  EXPECT_THAT(refusal_of_tokenizer_json("/model/vocab/a", "5"),
              AllOf(HasSubstr("model.vocab.a = \"5\""), HasSubstr("an integer")));
  EXPECT_THAT(refusal_of_tokenizer_json("/model/vocab/a", -1), HasSubstr("model.vocab.a = -1"));
  EXPECT_THAT(refusal_of_tokenizer_json("/model/vocab/a", 4'000'000'000), HasSubstr("model.vocab.a = 4000000000"));
  EXPECT_THAT(refusal_of_tokenizer_json("/model/vocab/a", 1.5), HasSubstr("model.vocab.a = 1.5"));
  EXPECT_THAT(refusal_of_tokenizer_json("/model/vocab", Json::array()), HasSubstr("model.vocab = []"));
  EXPECT_THAT(refusal_of_tokenizer_json("/normalizer/lowercase", 1),
              AllOf(HasSubstr("normalizer.lowercase = 1"), HasSubstr("true or false")));
  EXPECT_THAT(refusal_of_tokenizer_json("/added_tokens/1/content", 7), HasSubstr("added_tokens.1.content = 7"));
  EXPECT_THAT(refusal_of_tokenizer_json("/post_processor/single/0", Json::object()),
              HasSubstr("post_processor.single.0 without"));
  EXPECT_THAT(refusal_of_tokenizer_json("/post_processor/single/1/Sequence/id", "B"), HasSubstr("the sequence A"));
  EXPECT_THAT(refusal_of_tokenizer_json("/post_processor/single/0/SpecialToken/id", "[X]"),
              HasSubstr("special_tokens without \"[X]\""));
}

TEST(TokenizerJson, NamesMissingFields) {
  EXPECT_THAT(refusal_of_tokenizer_json("/model", nullptr), HasSubstr("without \"model\""));
  EXPECT_THAT(refusal_of_tokenizer_json("/model/unk_token", nullptr), HasSubstr("model without \"unk_token\""));
  EXPECT_THAT(refusal_of_tokenizer_json("/added_tokens/0/lstrip", nullptr),
              HasSubstr("added_tokens.0 without \"lstrip\""));
}

TEST(TokenizerJson, RefusesInvalidJson) {
  EXPECT_THAT(refusal_of_text(""), HasSubstr("tokenizer.json"));
  EXPECT_THAT(refusal_of_text("{\"version\": "), HasSubstr("expected  JSON"));
  EXPECT_THAT(refusal_of_text("[]"), HasSubstr("an object"));
  EXPECT_THAT(refusal_of_text("{\"model\": \"\xff\"}"), HasSubstr("expected  JSON"));
  EXPECT_THAT(refusal_of_text(std::string(100'000, '[')), HasSubstr("expected  JSON"));
}

Json sequence_of(const std::vector<Json>& stages) { return {{"type", "Sequence"}, {"normalizers", stages}}; }

Tokenizer with_normalizer(const Json& normalizer) {
  Json json = golden("encodings.json")["base"];
  json["normalizer"] = normalizer;
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", json.dump());
  return Tokenizer::load(folder.path());
}

TEST(TokenizerJson, LimitsTheOutputOfNormalizers) {
  const Json hundredfold{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(100, 'a')}};
  const Tokenizer tokenizer = with_normalizer(sequence_of({Json{{"type", "NFC"}}, hundredfold, hundredfold}));
  EXPECT_THAT(
      message_of<CheckpointError>([&] { tokenizer.encode({.first = std::string(3000, 'a')}); }),
      AllOf(HasSubstr("tokenizer.json, normalizer.normalizers.1"), HasSubstr("3000 bytes of text that grow to")));
  const Json doubling{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  const Tokenizer slow = with_normalizer(sequence_of(std::vector<Json>(30, doubling)));
  EXPECT_THAT(message_of<CheckpointError>([&] { slow.encode({.first = std::string(3000, 'a')}); }),
              HasSubstr("normalizer.normalizers.5"));
}

TEST(TokenizerJson, AcceptsTheLongestUnicodeForm) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "\uFDFA";  // 18 characters in NFKC
  const Tokenizer tokenizer = with_normalizer(sequence_of({Json{{"type", "NFKC"}}, Json{{"type", "ByteLevel"}}}));
  EXPECT_FALSE(tokenizer.encode({.first = text}).ids.empty());
}

TEST(TokenizerJson, LimitsTokens) {
  EXPECT_THAT(refusal_of_tokenizer_json("/model/vocab/" + std::string(70'000, 'x'), 3), HasSubstr("65536 bytes"));
}

}  // namespace
}  // namespace portatune::text
