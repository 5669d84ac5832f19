#include "portatune/run/inputs/batches/padding.h"

#include <gmock/gmock.h>

#include "portatune/error.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;

TEST(Padding, ParsesItsWords) {
  EXPECT_EQ(padding_called("max_length")->kind, Padding::Kind::kMaxLength);
  EXPECT_EQ(padding_called("multiple_of=16")->kind, Padding::Kind::kMultipleOf);
  EXPECT_EQ(padding_called("multiple_of=16")->number, 16);
  EXPECT_THAT(padding_called("buckets=16,64,32")->lengths, ElementsAre(16, 64, 32));
  EXPECT_EQ(padding_called("auto")->kind, Padding::Kind::kAuto);
  EXPECT_EQ(padding_called("auto=4")->kind, Padding::Kind::kAutoCount);
  EXPECT_EQ(padding_called("auto=4")->number, 4);
  for (const char* word : {"", "longest", "auto=", "auto=0", "auto=2,3", "auto=x", "multiple_of=-8",
                           "buckets=", "buckets=16,,32", "buckets=16,0", "max_length=4", "bucket=3"}) {
    EXPECT_FALSE(padding_called(word)) << word;
  }
}

const data::LengthCounts kExamples = {{5, 10}, {20, 8}, {21, 1}, {40, 1}};

std::vector<int64_t> lengths(const std::string& policy, int64_t longest = 40) {
  return lengths_of(*padding_called(policy), 128, kExamples, longest);
}

TEST(Padding, LengthsEndAtTheFirstThatHoldsTheLongestExample) {
  EXPECT_THAT(lengths("max_length"), ElementsAre(128));
  EXPECT_THAT(lengths("multiple_of=16"), ElementsAre(16, 32, 48));
  EXPECT_THAT(lengths("multiple_of=100", 128), ElementsAre(100, 128));
  EXPECT_THAT(lengths("buckets=64,16,32"), ElementsAre(16, 32, 64));
  EXPECT_THAT(lengths("buckets=16"), ElementsAre(16, 128));
  EXPECT_THAT(lengths("buckets=16,128"), ElementsAre(16, 128));
}

TEST(Padding, AutoMinimisesPaddingAndHoldsAll) {
  // 19 x 21 + 40 positions; 10 x 5 + 10 x 40 and 18 x 20 + 2 x 40 are more.
  EXPECT_THAT(lengths("auto=2"), ElementsAre(21, 40));
  // 10 x 5 + 9 x 21 + 40.
  EXPECT_THAT(lengths("auto=3"), ElementsAre(5, 21, 40));
  EXPECT_THAT(lengths("auto=9"), ElementsAre(5, 20, 21, 40));
  EXPECT_THAT(lengths("auto=3", 100), ElementsAre(5, 21, 100));
  // A longer example of another set does not lengthen training batches.
  const auto with = [](int64_t count) {
    return lengths_of(*padding_called("auto=" + std::to_string(count)), 128, {{4, 10}, {6, 10}}, 31);
  };
  EXPECT_THAT(with(1), ElementsAre(31));
  EXPECT_THAT(with(2), ElementsAre(6, 31));
  EXPECT_THAT(with(3), ElementsAre(4, 6, 31));
}

TEST(Padding, AutoUsesOnlyLengthsThatSaveATwentieth) {
  // Of thousands of positions: {40}: 800; {21, 40}: 439; {5, 21, 40}: 279; {5, 20, 21, 40}: 271, which saves 3 %.
  const data::LengthCounts thousands = {{5, 10'000}, {20, 8'000}, {21, 1'000}, {40, 1'000}};
  EXPECT_THAT(lengths_of(*padding_called("auto"), 128, thousands, 40), ElementsAre(5, 21, 40));
  EXPECT_THAT(lengths_of(*padding_called("auto"), 128, {{127, 1}, {128, 99'999}}, 128), ElementsAre(128));
}

TEST(Padding, AutoCompilesOneProgramForFewRows) { EXPECT_THAT(lengths("auto"), ElementsAre(40)); }

TEST(Padding, RejectsBucketsAboveMaxLength) { EXPECT_THROW(lengths("buckets=16,256"), UsageError); }

TEST(Padding, DescribesTheShareOfPaddingAndTheHistogram) {
  const std::vector<std::string> lines = describe_lengths(kExamples, {5, 40}, 128);
  // 50 + 160 + 21 + 40 tokens in 50 + 400 positions, and in 20 x 128.
  EXPECT_EQ(lines.at(0), "batches of 5, 40 tokens: 39.8 % padding; all of 128 tokens: 89.4 %");
  EXPECT_EQ(lines.at(1), "      1 to     5 tokens           10 examples  50.0 % ####################");
  EXPECT_EQ(lines.at(2), "      6 to    40 tokens           10 examples  50.0 % ####################");
}

}  // namespace
}  // namespace portatune::run
