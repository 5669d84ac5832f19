#include "portatune/text/model/unigram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

using ::testing::ElementsAre;
using Entries = std::vector<std::pair<std::string, double>>;

Unigram model(const Entries& entries, const UnigramOptions& options = {.unk_id = 0}) {
  Vocabulary vocabulary;
  std::vector<double> scores;
  for (const auto& [token, score] : entries) {
    vocabulary.add(token, static_cast<int32_t>(scores.size()));
    scores.push_back(score);
  }
  return Unigram(options, std::move(vocabulary), std::move(scores), "m/tokenizer.json");
}

std::vector<std::string> pieces(const Unigram& model, const std::string& word) {
  std::vector<Piece> made;
  model.tokenize(word, made);
  std::vector<std::string> result;
  for (const Piece& piece : made) result.push_back(word.substr(piece.begin, piece.end - piece.begin));
  return result;
}

// The example in the documentation of `tokenizers`.
TEST(Unigram, FindsTheBestSplit) {
  const Unigram m =
      model({{"<unk>", 0}, {"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"cd", 1}, {"ab", 2}, {"abc", 5}, {"abcd", 10}});
  EXPECT_THAT(pieces(m, "abcdacdxx"), ElementsAre("abcd", "a", "cd", "xx"));
}

// The highest sum of scores over all ways to split the text.
double best_score(const Entries& entries, std::string_view word) {
  if (word.empty()) return 0;
  double best = -1e9;
  for (const auto& [token, score] : entries) {
    if (word.starts_with(token)) best = std::max(best, score + best_score(entries, word.substr(token.size())));
  }
  return best;
}

TEST(Unigram, HasTheHighestScoreOfAllSplits) {
  std::mt19937 random(6);
  for (int example = 0; example < 200; ++example) {
    Entries entries{{"<unk>", 0}, {"a", -1}, {"b", -1.5}};
    for (int i = 0; i < 12; ++i) {
      std::string token;
      for (unsigned n = 2 + random() % 4; n > 0; --n) token += static_cast<char>('a' + random() % 2);
      entries.emplace_back(token, -0.25 * (1 + static_cast<double>(random() % 16)));
    }
    std::map<std::string, double> distinct(entries.begin(), entries.end());
    const Entries kept(distinct.begin(), distinct.end());
    const Unigram m = model(kept, {.unk_id = 0});
    std::string word;
    for (unsigned n = 1 + random() % 12; n > 0; --n) word += static_cast<char>('a' + random() % 2);
    double score = 0;
    for (const std::string& piece : pieces(m, word)) score += distinct.at(piece);
    EXPECT_DOUBLE_EQ(score, best_score(kept, word)) << word;
  }
}

TEST(Unigram, RequiresAnUnknownTokenForUnknownText) {
  EXPECT_THAT(message_of<CheckpointError>([] { model({{"a", 0}}, {.unk_id = 3}); }), testing::HasSubstr("unk_id 3"));
  const Unigram m = model({{"a", 0}}, {});
  EXPECT_THAT(pieces(m, "aa"), ElementsAre("a", "a"));
  EXPECT_THAT(message_of<CheckpointError>([&] { pieces(m, "ab"); }), testing::HasSubstr("no unknown token"));
}

}  // namespace
}  // namespace portatune::text
