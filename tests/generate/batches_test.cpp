#include "portatune/generate/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portatune::generate {
namespace {

using testing::ElementsAre;

std::vector<Ids> prompts_of(const std::vector<size_t>& lengths) {
  std::vector<Ids> prompts;
  for (const size_t length : lengths) prompts.emplace_back(length, 7);
  return prompts;
}

// Batches of prompts with at most this many new tokens each.
std::vector<Batch> batches_of(const std::vector<Ids>& prompts, int64_t new_tokens, const BatchLimits& limits) {
  return make_batches(prompts, std::vector<int64_t>(prompts.size(), new_tokens), limits);
}

TEST(Batches, GroupSimilarLengthsInFewShapes) {
  const std::vector<Ids> prompts = prompts_of({40, 3, 17, 5, 100});
  const std::vector<Batch> batches = batches_of(prompts, 20, {.batch_size = 2, .max_length = 512});
  ASSERT_EQ(batches.size(), 3);
  EXPECT_THAT(batches[0].prompts, ElementsAre(1, 3));
  EXPECT_EQ(batches[0].sizes.prompt, 16);
  EXPECT_EQ(batches[0].sizes.length, 64);  // 16 + 20
  EXPECT_THAT(batches[1].prompts, ElementsAre(2, 0));
  EXPECT_EQ(batches[1].sizes.prompt, 64);
  EXPECT_THAT(batches[2].prompts, ElementsAre(4));
  EXPECT_EQ(batches[2].sizes.prompts, 1);
  EXPECT_EQ(batches[2].sizes.prompt, 128);
}

TEST(Batches, AreLimitedByPositionsAndBatchSize) {
  const std::vector<Batch> batches =
      batches_of(prompts_of({30, 30, 30, 30, 30}), 5, {.batch_size = 6, .max_length = 40});
  ASSERT_EQ(batches.size(), 1);
  EXPECT_EQ(batches[0].sizes.prompt, 32);
  EXPECT_EQ(batches_of(prompts_of({35}), 5, {.batch_size = 6, .max_length = 40})[0].sizes.prompt, 40);
  EXPECT_EQ(batches[0].sizes.prompts, 6);  // the power of two would be 8
  EXPECT_EQ(batches_of(prompts_of({1, 1, 1}), 5, {.batch_size = 8, .max_length = 40})[0].sizes.prompts, 4);
}

// A model whose results depend on the padded length: blocks of 12 tokens, as many as the longest prompt has.
TEST(Batches, ArePaddedAsFarAsTheModelAllows) {
  const auto padded = [](size_t tokens) {
    const auto whole_blocks = [](int64_t longest) { return (longest + 11) / 12 * 12; };
    return batches_of(prompts_of({tokens, 7}), 5,
                      {.batch_size = 2, .max_length = 40, .max_padded_length = whole_blocks})[0]
        .sizes.prompt;
  };
  EXPECT_EQ(padded(10), 12);
  EXPECT_EQ(padded(17), 24);
  EXPECT_EQ(padded(30), 32);
  EXPECT_EQ(padded(38), 40);
}

TEST(Batches, HavePositionsForTheMostNewTokensOfTheirPrompts) {
  const std::vector<int64_t> new_tokens = {40, 3, 9};
  const std::vector<Batch> batches =
      make_batches(prompts_of({60, 9, 10}), new_tokens, {.batch_size = 2, .max_length = 512});
  EXPECT_EQ(batches[0].sizes.length, 32);   // 16 + 9
  EXPECT_EQ(batches[1].sizes.length, 128);  // 64 + 40
}

TEST(Batches, HaveAsManyPromptsOnEachDevice) {
  EXPECT_EQ(batches_of(prompts_of({1, 1, 1}), 5, {.batch_size = 8, .max_length = 40, .devices = 2})[0].sizes.prompts,
            4);
  EXPECT_EQ(batches_of(prompts_of({1}), 5, {.batch_size = 8, .max_length = 40, .devices = 4})[0].sizes.prompts, 4);
  const std::vector<Batch> batches =
      batches_of(prompts_of({1, 2, 3, 4, 5}), 5, {.batch_size = 2, .max_length = 40, .devices = 2});
  ASSERT_EQ(batches.size(), 2);
  EXPECT_THAT(batches[0].prompts, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(batches[1].prompts, ElementsAre(4));
  EXPECT_EQ(batches[1].sizes.prompts, 2);
}

TEST(Batches, ArePaddedOnTheLeft) {
  const std::vector<Ids> prompts = {{1, 2, 3}, {4}};
  const Batch batch{.prompts = {1, 0}, .sizes = {.prompts = 4, .prompt = 4, .length = 8}};
  const PaddedPrompts padded = pad(prompts, batch, 9, PaddingSide::kLeft);
  EXPECT_THAT(padded.ids.as<int32_t>(), ElementsAre(9, 9, 9, 4, 9, 1, 2, 3, 9, 9, 9, 9, 9, 9, 9, 9));
  EXPECT_THAT(padded.padding.as<int32_t>(), ElementsAre(3, 1, 4, 4));
  EXPECT_EQ(padded.numbers.as<uint32_t>()[0], 1);
  EXPECT_EQ(padded.numbers.as<uint32_t>()[1], 0);
}

TEST(Batches, OfAnEncoderArePaddedOnTheRight) {
  const std::vector<Ids> prompts = {{1, 2, 3}, {4}};
  const Batch batch{.prompts = {1, 0}, .sizes = {.prompts = 3, .prompt = 4, .length = 8}};
  const PaddedPrompts padded = pad(prompts, batch, 9, PaddingSide::kRight);
  EXPECT_THAT(padded.ids.as<int32_t>(), ElementsAre(4, 9, 9, 9, 1, 2, 3, 9, 9, 9, 9, 9));
  EXPECT_THAT(padded.padding.as<int32_t>(), ElementsAre(3, 1, 4));
}

TEST(Batches, HaveShortTextsIfTheseDoNotContinueTheirPrompts) {
  const std::vector<Batch> batches =
      batches_of(prompts_of({100}), 20, {.batch_size = 2, .max_length = 512, .first = 1});
  EXPECT_EQ(batches[0].sizes.prompt, 128);
  EXPECT_EQ(batches[0].sizes.length, 32);  // 1 + 20
}

}  // namespace
}  // namespace portatune::generate
