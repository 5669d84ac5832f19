#include "portatune/generate/growing_text.h"

#include <gtest/gtest.h>

namespace portatune::generate {
namespace {

// Uses words of the tiny model's vocabulary.
class GrowingTextTest : public testing::Test {
 protected:
  std::vector<int32_t> ids(const std::string& text) const {
    return tokenizer_.encode(text, {.add_special_tokens = false}).ids;
  }
  const text::Tokenizer tokenizer_ = text::Tokenizer::load(PORTATUNE_TEST_DATA "/tiny_bert");
  const std::vector<int32_t> prompt_ = ids("the film");
};

TEST_F(GrowingTextTest, ContinuesThePrompt) {
  EXPECT_EQ(text_after(tokenizer_, prompt_, ids("was good")), " was good");
  EXPECT_EQ(text_after(tokenizer_, {}, ids("was good")), "was good");
}

TEST_F(GrowingTextTest, LeavesSpecialTokensOut) {
  std::vector<int32_t> with_end = ids("was good");
  with_end.push_back(tokenizer_.sep_id().value());
  EXPECT_EQ(text_after(tokenizer_, prompt_, with_end), " was good");
}

TEST_F(GrowingTextTest, UpdateReturnsNewText) {
  GrowingText text(tokenizer_, prompt_, {});
  EXPECT_EQ(text.update(ids("was"), false), " was");
  EXPECT_EQ(text.update(ids("was"), false), "");
  EXPECT_EQ(text.update(ids("was good and"), true), " good and");
  EXPECT_EQ(text.text(), " was good and");
}

TEST_F(GrowingTextTest, EndsAtAStopString) {
  const std::vector<std::string> stops = {"and", "good"};
  GrowingText text(tokenizer_, prompt_, stops);
  EXPECT_EQ(text.update(ids("was"), false), " was");
  EXPECT_EQ(text.update(ids("was good and we"), false), " good");
  EXPECT_EQ(text.text(), " was good");
  EXPECT_EQ(text.stopped_after(), ids("was good").size());
  EXPECT_EQ(text.update(ids("was good and we saw"), true), "");
}

TEST_F(GrowingTextTest, AcceptsAPauseWithoutNewTokens) {
  GrowingText text(tokenizer_, prompt_, {});
  EXPECT_EQ(text.update({}, false), "");
  EXPECT_EQ(text.update(ids("was"), false), " was");
  EXPECT_EQ(text.update(ids("was"), true), "");
  EXPECT_EQ(text.text(), " was");
}

TEST_F(GrowingTextTest, RecognisesSpecialTokens) {
  EXPECT_EQ(special_token(tokenizer_, "[SEP]"), tokenizer_.sep_id());
  EXPECT_EQ(special_token(tokenizer_, "good"), std::nullopt);
  EXPECT_EQ(special_token(tokenizer_, "no token"), std::nullopt);
}

TEST(SettledSize, LeavesOutIncompleteCharacters) {
  EXPECT_EQ(settled_size("abc"), 3);
  EXPECT_EQ(settled_size("ab\xEF\xBF\xBD"), 2);
  EXPECT_EQ(settled_size("ab\xEF\xBF\xBD\xEF\xBF\xBD"), 2);
  EXPECT_EQ(settled_size("\xEF\xBF\xBD"
                         "a"),
            4);
}

TEST(EndOfStop, FindsTheFirstStopString) {
  const std::vector<std::string> stops = {"d", "bc"};
  EXPECT_EQ(end_of_stop("abcd", stops), 3);
  EXPECT_EQ(end_of_stop("aaa", stops), std::nullopt);
}

}  // namespace
}  // namespace portatune::generate
