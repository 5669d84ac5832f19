// Comparison with rouge_score, nltk, sacreBLEU and jiwer: tests/oracle/tasks/make_text_metric_cases.py.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "portatune/tasks/metrics/generated_texts.h"
#include "portatune/tasks/metrics/texts/bleu.h"
#include "portatune/tasks/metrics/texts/porter_stemmer.h"
#include "portatune/tasks/metrics/texts/rouge.h"
#include "portatune/tasks/metrics/texts/word_error_rate.h"
#include "portatune/tasks/metrics/texts/words.h"

namespace portatune::tasks {
namespace {

using nlohmann::json;

const json& golden() {
  static const json kGolden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/text_metrics.json"));
  return kGolden;
}

void expect_rouge(const json& pair, const char* key, bool stems) {
  const RougeScores found = rouge(pair["reference"].get<std::string>(), pair["text"].get<std::string>(), stems);
  const std::vector<double> expected = pair[key];
  EXPECT_NEAR(found.rouge1, expected[0], 1e-12) << pair;
  EXPECT_NEAR(found.rouge2, expected[1], 1e-12) << pair;
  EXPECT_NEAR(found.rouge_l, expected[2], 1e-12) << pair;
  EXPECT_NEAR(found.rouge_lsum, expected[3], 1e-12) << pair;
}

void expect_bleu_and_chrf(size_t begin, size_t end, const json& expected) {
  Bleu bleu;
  Chrf chrf;
  for (size_t i = begin; i < end; ++i) {
    const json& pair = golden()["pairs"][i];
    const std::string reference = pair["reference"], text = pair["text"];
    bleu.add(reference, text);
    chrf.add(reference, text);
  }
  EXPECT_NEAR(bleu.result(), expected[0].get<double>(), 1e-9) << begin << " to " << end;
  EXPECT_NEAR(chrf.result(), expected[1].get<double>(), 1e-9) << begin << " to " << end;
}

void expect_error_rates(size_t begin, size_t end, const json& expected) {
  WordErrorRate words;
  CharacterErrorRate characters;
  for (size_t i = begin; i < end; ++i) {
    const json& pair = golden()["pairs"][i];
    const std::string reference = pair["reference"], text = pair["text"];
    words.add(reference, text);
    characters.add(reference, text);
  }
  EXPECT_NEAR(words.result(), expected[0].get<double>(), 1e-12) << begin << " to " << end;
  EXPECT_NEAR(characters.result(), expected[1].get<double>(), 1e-12) << begin << " to " << end;
}

TEST(Rouge, EqualsRougeScore) {
  ASSERT_EQ(golden()["pairs"].size(), 200u);
  for (const json& pair : golden()["pairs"]) expect_rouge(pair, "rouge", false);
}

TEST(Rouge, EqualsRougeScoreWithStems) {
  for (const json& pair : golden()["pairs"]) expect_rouge(pair, "rouge_of_stems", true);
}

TEST(PorterStemmer, EqualsNltk) {
  for (const auto& [word, stem] : golden()["stems"].items()) EXPECT_EQ(porter_stem(word), stem) << word;
}

TEST(Bleu, SplitsPunctuationAsSacreBleu) {
  for (const json& pair : golden()["pairs"]) {
    std::string tokens;
    for (const std::string& word : words_of(tokens_13a(pair["reference"].get<std::string>()))) {
      tokens += (tokens.empty() ? "" : " ") + word;
    }
    EXPECT_EQ(tokens, pair["tokens"]);
  }
}

TEST(BleuAndChrf, EqualSacreBleuForEachPair) {
  for (size_t i = 0; i < golden()["pairs"].size(); ++i) {
    expect_bleu_and_chrf(i, i + 1, golden()["pairs"][i]["bleu_and_chrf"]);
  }
}

TEST(BleuAndChrf, EqualSacreBleuForCorpora) {
  for (const json& corpus : golden()["corpora"]) {
    expect_bleu_and_chrf(corpus["begin"], corpus["end"], corpus["bleu_and_chrf"]);
  }
}

TEST(ErrorRates, EqualJiwerForEachPair) {
  for (size_t i = 0; i < golden()["pairs"].size(); ++i) {
    expect_error_rates(i, i + 1, golden()["pairs"][i]["error_rates"]);
  }
}

TEST(ErrorRates, EqualJiwerForCorpora) {
  for (const json& corpus : golden()["corpora"]) {
    expect_error_rates(corpus["begin"], corpus["end"], corpus["error_rates"]);
  }
}

TEST(TextScores, AreMeansOverRowsAndOfTheWholeCorpus) {
  TextScores scores(true);
  EXPECT_TRUE(scores.result().empty());
  scores.add(" The cat sat. ", {.text = "The cat sat.", .tokens = 5}, 1);
  scores.add("one two", {.text = "two", .tokens = 3}, 3);
  const Scores found = scores.result();
  const std::map<std::string, double> by_name(found.begin(), found.end());
  EXPECT_EQ(found.size(), TextScores::names().size());
  EXPECT_NEAR(by_name.at("rouge1"), (100 + 3 * 200.0 / 3) / 4, 1e-9);
  EXPECT_NEAR(by_name.at("rouge2"), 25, 1e-9);
  EXPECT_NEAR(by_name.at("exact_match"), 25, 1e-9);
  EXPECT_NEAR(by_name.at("f1"), (100 + 3 * 200.0 / 3) / 4, 1e-9);
  EXPECT_NEAR(by_name.at("gen_len"), (5 + 3 * 3) / 4.0, 1e-9);
  Bleu bleu;
  bleu.add("The cat sat.", "The cat sat.");
  bleu.add("one two", "two");
  EXPECT_EQ(by_name.at("bleu"), bleu.result());
  EXPECT_EQ(by_name.at("wer"), 1 / 5.0);
  EXPECT_EQ(by_name.at("cer"), 4 / 19.0);
}

TEST(Words, StripWhiteSpaceOfUnicodeAtBothEnds) {
  EXPECT_EQ(stripped("\u2003 a b\u00a0\n"), "a b");
  EXPECT_EQ(stripped("été"), "été");
  EXPECT_EQ(stripped(" \t\u3000"), "");
  EXPECT_EQ(stripped(""), "");
}

}  // namespace
}  // namespace portatune::tasks
