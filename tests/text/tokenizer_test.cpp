#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "io/temporary_folder.h"
#include "portatune/base/threads/thread_pool.h"
#include "portatune/error.h"
#include "portatune/text.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

Tokenizer load_from(const Json& tokenizer_json) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", tokenizer_json.dump());
  return Tokenizer::load(folder.path());
}

// The small tokenizers of encodings.json by name.
std::map<std::string, Tokenizer> load_all(const Json& golden) {
  std::map<std::string, Tokenizer> tokenizers;
  for (const auto& [name, patch] : golden["patches"].items()) {
    Json json = golden["base"];
    json.merge_patch(patch);
    tokenizers.emplace(name, load_from(json));
  }
  return tokenizers;
}

// A row of encodings.json.
struct Case {
  std::string tokenizer;
  std::vector<std::string> texts;
  EncodeOptions options{.with_offsets = true};
  Json expected;

  explicit Case(const Json& row) : tokenizer(row[0]), texts(row[1]), expected(row[5]) {
    using enum TruncationStrategy;
    const std::map<std::string, TruncationStrategy> strategies{
        {"longest_first", kLongestFirst}, {"only_first", kOnlyFirst}, {"only_second", kOnlySecond}};
    if (!row[2].is_null()) {
      options.max_length = row[2];
      options.truncation = strategies.at(row[3]);
    }
    options.add_special_tokens = row[4];
  }
  TextPair pair() const {
    TextPair pair{.first = texts[0]};
    if (texts.size() > 1) pair.second = texts[1];
    return pair;
  }
};

Json flattened(const Encoding& e) {
  Json offsets = Json::array();
  for (const Offsets& o : e.offsets) {
    offsets.push_back(o.begin);
    offsets.push_back(o.end);
  }
  return Json::array({e.ids, e.type_ids, e.special_tokens_mask, e.sequence_ids, e.word_ids, offsets});
}

Json encoded(const Tokenizer& tokenizer, const Case& c) {
  try {
    return flattened(tokenizer.encode(c.pair(), c.options));
  } catch (const Error&) {
    return "error";
  }
}

TEST(Tokenizer, EncodesAsTokenizers) {
  const Json golden = text::golden("encodings.json");
  const auto tokenizers = load_all(golden);
  for (const Json& row : golden["cases"]) {
    EXPECT_EQ(encoded(tokenizers.at(row[0]), Case(row)), row[5]) << row.dump();
  }
}

TEST(IdEncoder, AppendsTheSameIds) {
  const Json golden = text::golden("encodings.json");
  const auto tokenizers = load_all(golden);
  std::map<std::string, IdEncoder> encoders;
  for (const auto& [name, tokenizer] : tokenizers) encoders.emplace(name, tokenizer);
  for (const Json& row : golden["cases"]) {
    const Case c(row);
    std::vector<int32_t> ids{-5}, type_ids{-6};
    if (c.expected == "error") {
      EXPECT_THROW(encoders.at(c.tokenizer).append(c.pair(), c.options, ids, &type_ids), Error) << row.dump();
      EXPECT_THAT(ids, ElementsAre(-5));
      EXPECT_THAT(type_ids, ElementsAre(-6));
      continue;
    }
    encoders.at(c.tokenizer).append(c.pair(), c.options, ids, &type_ids);
    ids.erase(ids.begin());
    type_ids.erase(type_ids.begin());
    EXPECT_EQ(Json(ids), c.expected[0]) << row.dump();
    EXPECT_EQ(Json(type_ids), c.expected[1]) << row.dump();
  }
}

Tokenizer small_tokenizer() { return load_from(golden("encodings.json")["base"]); }

// The goldens hold short texts. Random texts test words at the end of a block or of the text.
TEST(IdEncoder, EqualsTheStagesForAllEndsOfWords) {
  const Tokenizer tokenizer = small_tokenizer();
  IdEncoder encoder(tokenizer);
  const std::vector<std::string> parts{
      "a", "B", "the", "cat", "\u00c9", "\u4e2d", " ", " ", ".", "\x01", "[MASK]", "\u0301", "internationalisations"};
  std::mt19937 random(1);
  for (int example = 0; example < 20'000; ++example) {
    std::string text;
    while (text.size() < random() % 64) text += parts[random() % parts.size()];
    const EncodeOptions options{.max_length = random() % 4 == 0 ? 2 + static_cast<int64_t>(random() % 9) : 0};
    std::vector<int32_t> ids;
    encoder.append({.first = text}, options, ids);
    ASSERT_EQ(ids, tokenizer.encode(text, options).ids) << text;
  }
}

TEST(Tokenizer, BatchesEqualSingleTexts) {
  const Tokenizer tokenizer = small_tokenizer();
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back("the cat plays " + std::to_string(i));
  std::vector<TextPair> pairs;
  for (const std::string& text : texts) pairs.push_back({.first = text, .second = "dog"});
  ThreadPool pool(3);
  for (const bool with_offsets : {false, true}) {
    const EncodeOptions options{.max_length = 9, .with_offsets = with_offsets};
    const auto encodings = tokenizer.encode_batch(pairs, options, pool);
    ASSERT_EQ(encodings.size(), pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(flattened(encodings[i]), flattened(tokenizer.encode(pairs[i], options)));
    }
  }
}

TEST(Tokenizer, LeavesOutOffsetsByDefault) {
  const Encoding encoding = small_tokenizer().encode("the cat");
  EXPECT_THAT(encoding.ids, testing::SizeIs(4));
  EXPECT_THAT(encoding.sequence_ids, ElementsAre(-1, 0, 0, -1));
  EXPECT_TRUE(encoding.offsets.empty());
  EXPECT_TRUE(encoding.word_ids.empty());
}

TEST(Tokenizer, KnowsItsTokens) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.token_to_id("[MASK]"), 4);
  EXPECT_EQ(tokenizer.id_to_token(4), "[MASK]");
  EXPECT_EQ(tokenizer.token_to_id("absent"), std::nullopt);
  EXPECT_EQ(tokenizer.id_to_token(-1), "");
  EXPECT_EQ(tokenizer.id_to_token(1 << 20), "");
  EXPECT_EQ(tokenizer.pad_id(), 0);
  EXPECT_EQ(tokenizer.unk_id(), 1);
  EXPECT_EQ(tokenizer.cls_id(), 2);
  EXPECT_EQ(tokenizer.sep_id(), 3);
  EXPECT_EQ(tokenizer.mask_id(), 4);
  EXPECT_EQ(tokenizer.added_tokens(false), 2);
  EXPECT_EQ(tokenizer.added_tokens(true), 3);
}

TEST(Tokenizer, DecodesItsEncodings) {
  Json json = golden("encodings.json")["base"];
  json["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", false}};
  const Tokenizer tokenizer = load_from(json);
  const std::vector<int32_t> ids = tokenizer.encode("the unaffable cat .").ids;
  EXPECT_EQ(tokenizer.decode(ids), "[CLS] the unaffable cat . [SEP]");
  EXPECT_EQ(tokenizer.decode(ids, {.skip_special_tokens = true}), "the unaffable cat .");
  EXPECT_EQ(tokenizer.decode(ids, {.skip_special_tokens = true, .clean_up_tokenization_spaces = true}),
            "the unaffable cat.");
  EXPECT_EQ(tokenizer.decode(std::vector<int32_t>{-1, 1 << 20}), "");
}

TEST(Tokenizer, IgnoresStoredTruncationAndPadding) {
  Json json = golden("encodings.json")["base"];
  json["truncation"] = {{"max_length", 4}, {"strategy", "LongestFirst"}, {"stride", 0}};
  json["padding"] = {{"strategy", {{"Fixed", 16}}}, {"pad_id", 0}};
  EXPECT_THAT(load_from(json).encode("a b c d e").ids, testing::SizeIs(7));
}

TEST(Tokenizer, RefusesTextThatIsNotUtf8) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_THAT(message_of<DataError>([&] { tokenizer.encode("ok", "a\xff"); }), HasSubstr("byte offset 1"));
}

TEST(Tokenizer, RefusesALengthBelowTheTemplate) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_THAT(message_of<UsageError>([&] { tokenizer.encode("a", {.max_length = 1}); }), HasSubstr("max_length 1"));
}

TEST(Tokenizer, RequiresAFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<NotFoundError>([&] { Tokenizer::load(folder.path()); }), HasSubstr("vocab.txt"));
}

// The results of `tokenizers` for 13 strings with published vocabularies.
TEST(Tokenizer, EncodesWithRealVocabularies) {
  const char* data = std::getenv("PORTATUNE_SHARED_DATA");
  if (data == nullptr) GTEST_SKIP() << "PORTATUNE_SHARED_DATA is not set";
  const std::string folder = std::string(data) + "/tokenizers/";
  const Json examples = Json::parse(std::ifstream(folder + "examples.json"));
  EXPECT_GE(examples["encodings"].size(), 7u);
  for (const auto& [name, expected] : examples["encodings"].items()) {
    const Tokenizer tokenizer = Tokenizer::load(folder + name);
    // The truncation stored in that file was applied to the goldens.
    const EncodeOptions options{.max_length = name == "minilm_bert_uncased" ? 128 : 0, .with_offsets = true};
    ASSERT_EQ(expected.size(), examples["strings"].size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string text = examples["strings"][i];
      const Encoding encoding = tokenizer.encode(text, options);
      EXPECT_EQ(Json(encoding.ids), expected[i]["ids"]) << name << ": " << text;
      Json offsets = Json::array();
      for (const Offsets& o : encoding.offsets) offsets.push_back({o.begin, o.end});
      EXPECT_EQ(offsets, expected[i]["offsets"]) << name << ": " << text;
    }
  }
}

TEST(Tokenizer, ReadsTheConfigOfARealModel) {
  const char* data = std::getenv("PORTATUNE_SHARED_DATA");
  if (data == nullptr) GTEST_SKIP() << "PORTATUNE_SHARED_DATA is not set";
  const Tokenizer tokenizer = Tokenizer::load(std::string(data) + "/tokenizers/minilm_bert_uncased");
  EXPECT_EQ(tokenizer.vocab_size(), 30522);
  EXPECT_EQ(tokenizer.model_max_length(), 512);
  EXPECT_EQ(tokenizer.pad_id(), 0);
}

}  // namespace
}  // namespace portatune::text
