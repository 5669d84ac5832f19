// Compares vocab.json with merges.txt, and SentencePiece models, with transformers:
// tests/oracle/text/make_older_goldens.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/text.h"
#include "portatune/text/read/base64.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using Files = std::map<std::string, std::string>;

Tokenizer load(const Files& files, const Json& config) {
  const TemporaryFolder folder;
  for (const auto& [name, bytes] : files) write_text(folder / name, bytes);
  write_text(folder / "tokenizer_config.json", config.dump());
  return Tokenizer::load(folder.path());
}

std::string refusal_of_older_files(const Files& files, const Json& config = Json::object()) {
  return message_of<CheckpointError>([&] { load(files, config); });
}

Files decoded(const Json& json) {
  Files files;
  for (const auto& [name, text] : json.items()) files[name] = *from_base64(text.get<std::string>());
  return files;
}

Json described(const Tokenizer& tokenizer, const std::string& text) {
  const Encoding encoding = tokenizer.encode(text, {.with_offsets = true});
  Json offsets = Json::array();
  for (const Offsets& o : encoding.offsets) {
    offsets.push_back(o.begin);
    offsets.push_back(o.end);
  }
  return Json{encoding.ids, offsets, tokenizer.decode(encoding.ids)};
}

TEST(OlderFiles, EqualTransformers) {
  const Json golden = text::golden("older_files.json");
  for (const Json& row : golden["cases"]) {
    const Tokenizer tokenizer = load(decoded(golden["files"][row[0].get<size_t>()]), row[1]);
    for (size_t i = 0; i < golden["texts"].size(); ++i) {
      EXPECT_EQ(described(tokenizer, golden["texts"][i]), row[2][i]) << row[1] << golden["texts"][i];
    }
  }
}

const Files kByteLevel{{"vocab.json", R"({"a": 0, "b": 1, "ab": 2})"}, {"merges.txt", "#version: 0.2\na b\n"}};

Files with(const std::string& name, const std::string& text) {
  Files files = kByteLevel;
  files[name] = text;
  return files;
}

TEST(OlderFiles, NameTheLineOfAnInvalidMerge) {
  EXPECT_THAT(refusal_of_older_files(with("merges.txt", "#version: 0.2\na b\na  b\n")), HasSubstr("merges.txt:3"));
  EXPECT_THAT(refusal_of_older_files(with("merges.txt", "a c\n")), AllOf(HasSubstr("merge 1"), HasSubstr("\"c\"")));
  EXPECT_THAT(refusal_of_older_files(with("merges.txt", "a \xff\n")), HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal_of_older_files(with("vocab.json", "[]")), HasSubstr("vocab.json"));
}

TEST(OlderFiles, NameAnUnsupportedClass) {
  EXPECT_THAT(refusal_of_older_files(kByteLevel, {{"tokenizer_class", "CLIPTokenizer"}}),
              HasSubstr("\"CLIPTokenizer\""));
  EXPECT_THAT(refusal_of_older_files({{"spiece.model", "\n\x03\n\x01x"}}, {{"tokenizer_class", "XLNetTokenizer"}}),
              HasSubstr("\"XLNetTokenizer\""));
}

TEST(OlderFiles, RefuseInvalidSentencePieceModels) {
  EXPECT_THAT(refusal_of_older_files({{"spiece.model", ""}}), AllOf(HasSubstr("spiece.model"), HasSubstr("no pieces")));
  EXPECT_THAT(refusal_of_older_files({{"spiece.model", "\x0a\x7fxx"}}),
              HasSubstr("a field of 127 bytes, with only 2 left"));
  EXPECT_THAT(refusal_of_older_files({{"spiece.model", "\n\x03\n\x01x\x12\x02\x18\x03"}}), HasSubstr("model_type 3"));
  EXPECT_THAT(refusal_of_older_files({{"spiece.model", "version https://git-lfs.github.com/spec/v1\n"}}),
              HasSubstr("spiece.model"));
}

TEST(OlderFiles, RequireBothByteLevelFiles) {
  EXPECT_THAT(message_of<NotFoundError>([&] {
                load({{"vocab.json", "{}"}}, Json::object());
              }),
              HasSubstr("vocab.json and merges.txt"));
}

}  // namespace
}  // namespace portatune::text
