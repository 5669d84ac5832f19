// Compares all routes of the tokenizer with the stages, one after the other.
#include "portatune/text/encode/text_encoder.h"

#include <gtest/gtest.h>

#include <random>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

using Json = nlohmann::json;

std::unique_ptr<Tokenizer::Parts> parts_of(const Json& json) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", json.dump());
  return std::make_unique<Tokenizer::Parts>(read_tokenizer_json(folder / "tokenizer.json"), TokenizerConfig{});
}

std::unique_ptr<Tokenizer::Parts> stages_of(const Json& json) {
  auto parts = parts_of(json);
  parts->fused = nullptr;
  parts->by_segment = false;
  return parts;
}

Json flattened(const Sequence& sequence) {
  Json sources = Json::array();
  for (const auto& [offsets, word_id] : sequence.sources) sources.push_back({offsets.begin, offsets.end, word_id});
  return {sequence.ids, sources};
}

Json encoded(TextEncoder& encoder, const std::string& text, const EncodeOptions& options) {
  try {
    encoder.encode({.first = text}, options);
    return flattened(encoder.first);
  } catch (const Error&) {
    return "error";
  }
}

// Characters that change their length in normalization, change their order, vanish or join their neighbours, and words
// near the maximal size of a cache key.
const std::vector<std::string> kParts{"the",
                                      "The",
                                      "dog",
                                      "a",
                                      "ing",
                                      "abc",
                                      "don't",
                                      " ",
                                      " ",
                                      " ",
                                      " ",
                                      "  ",
                                      "\t",
                                      "\r\n",
                                      "\n",
                                      "\u00a0",
                                      "\u3000",
                                      ".",
                                      "``",
                                      "''",
                                      "-",
                                      "~",
                                      "12",
                                      "\u0661",
                                      "\u00e9",
                                      "E\u0301",
                                      "\u0301",
                                      "\u0323\u0307",
                                      "\u0344",
                                      "\u212b",
                                      "\u0130",
                                      "\u1e69",
                                      "\ufb01",
                                      "\u00bd",
                                      "\u2026",
                                      "\u201c",
                                      "\u00ad",
                                      "\u200b",
                                      "\u200d",
                                      "\ufeff",
                                      "\ufffd",
                                      "\u0600",
                                      "\x01",
                                      "\x7f",
                                      "\u4e2d\u6587",
                                      "\u732b",
                                      "\ud55c\uae00",
                                      "\u1112\u1161\u11ab",
                                      "\U0001f600",
                                      "\U0001f468\u200d\U0001f469",
                                      "\u2581",
                                      "\u0120",
                                      "<m>",
                                      " <m> ",
                                      "<s>",
                                      "[MASK]",
                                      "quick",
                                      "CAF\u00c9",
                                      "thethethethethet",
                                      "internationalisations",
                                      "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"};

std::string random_text(std::mt19937& random) {
  std::string text;
  for (auto left = random() % 24; left > 0; --left) {
    text += kParts[random() % kParts.size()];
    if (random() % 3 == 0) text += " the dog";
  }
  return text;
}

void expect_the_same(const std::string& name, const Json& json, int texts) {
  const auto parts = parts_of(json), stages = stages_of(json);
  TextEncoder encoder(*parts), slow(*stages);
  std::mt19937 random(1);
  for (int i = 0; i < texts; ++i) {
    const std::string text = i == 0 ? "" : random_text(random);
    EncodeOptions options{.add_special_tokens = false, .with_offsets = true};
    if (random() % 3 == 0) options.max_length = 1 + static_cast<int64_t>(random() % 12);
    const Json expected = encoded(slow, text, options);
    // The second run finds all words in the cache; the third makes ids alone.
    ASSERT_EQ(encoded(encoder, text, options), expected) << name << ": " << text;
    ASSERT_EQ(encoded(encoder, text, options), expected) << name << ": " << text;
    options.with_offsets = false;
    const Json ids = encoded(encoder, text, options);
    ASSERT_EQ(ids == "error" ? ids : ids[0], expected == "error" ? expected : expected[0]) << name << ": " << text;
  }
}

TEST(TextEncoder, EqualsTheStagesWithSmallTokenizers) {
  const Json components = golden("components.json");
  for (const auto& [name, changes] : components["tokenizers"].items()) {
    expect_the_same(name, small_tokenizer_json(components, name), 200);
  }
}

TEST(TextEncoder, EqualsTheStagesWithBert) {
  const Json encodings = golden("encodings.json");
  for (const auto& [name, patch] : encodings["patches"].items()) {
    Json json = encodings["base"];
    json.merge_patch(patch);
    expect_the_same(name, json, 500);
  }
}

TEST(TextEncoder, EqualsTheStagesWithRealVocabularies) {
  const char* data = std::getenv("PORTATUNE_SHARED_DATA");
  if (data == nullptr) GTEST_SKIP() << "PORTATUNE_SHARED_DATA is not set";
  for (const char* name :
       {"minilm_bert_uncased", "gpt2", "albert_base", "roberta_rules", "mistral_v1_metaspace_first"}) {
    const std::string file = std::string(data) + "/tokenizers/" + name + "/tokenizer.json";
    expect_the_same(name, Json::parse(std::ifstream(file)), 3000);
  }
}

// Checks that the tests above do not compare the stages with themselves.
TEST(TextEncoder, DoesNotUseTheStagesAlone) {
  const Json components = golden("components.json");
  for (const char* name : {"GPT-2 False", "RoBERTa True", "Llama 3", "Qwen 2"}) {
    EXPECT_NE(parts_of(small_tokenizer_json(components, name))->fused, nullptr) << name;
  }
  EXPECT_NE(parts_of(golden("encodings.json")["base"])->fused, nullptr);
  for (const char* name : {"ALBERT", "XLM-RoBERTa", "model Unigram", "pre_tokenizer Metaspace first True"}) {
    EXPECT_TRUE(parts_of(small_tokenizer_json(components, name))->by_segment) << name;
  }
  for (const char* name :
       {"normalizer Prepend", "normalizer Strip True False", "normalizer Replace by nothing", "normalized added tokens",
        "model Unigram, whole text", "pre_tokenizer Punctuation Removed"}) {
    EXPECT_FALSE(parts_of(small_tokenizer_json(components, name))->by_segment) << name;
  }
}

}  // namespace
}  // namespace portatune::text
