#include "portatune/run/sweep/configurations.h"

#include <gmock/gmock.h>

#include "portatune/error.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(SweptOption, HasValuesOrARange) {
  const SweptOption list = swept_option("optim", "sgd,lion"), range = swept_option("batch-size", "8..64");
  EXPECT_THAT(list.values, ElementsAre("sgd", "lion"));
  EXPECT_FALSE(list.range);
  ASSERT_TRUE(range.range);
  EXPECT_EQ(range.range->low, 8);
  EXPECT_EQ(range.range->high, 64);
  EXPECT_TRUE(range.range->is_whole);
  EXPECT_FALSE(swept_option("learning-rate", "1e-5..1e-3").range->is_whole);
  EXPECT_THAT(swept_option("train", "../a.csv,../b.csv").values, ElementsAre("../a.csv", "../b.csv"));
  EXPECT_THROW(swept_option("learning-rate", "1e-3..1e-5"), UsageError);
  EXPECT_THROW(swept_option("learning-rate", "-1..1"), UsageError);
}

TEST(Configurations, AreAllCombinationsOfTheValues) {
  const auto found = all_configurations({swept_option("epochs", "1,2"), swept_option("optim", "sgd,lion")});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_THAT(found[1], ElementsAre(Pair("epochs", "1"), Pair("optim", "lion")));
  EXPECT_THAT(found[2], ElementsAre(Pair("epochs", "2"), Pair("optim", "sgd")));
  EXPECT_THROW(all_configurations({swept_option("learning-rate", "1e-5..1e-3")}), UsageError);
}

TEST(Configurations, AreDrawnFromRangesByTheSeed) {
  const std::vector<SweptOption> options = {swept_option("batch-size", "8..64"),
                                            swept_option("learning-rate", "1e-5..1e-3"),
                                            swept_option("optim", "sgd,lion")};
  const auto found = random_configurations(options, 40, 42);
  ASSERT_EQ(found.size(), 40u);
  int below = 0;
  for (const auto& settings : found) {
    const int64_t batch = std::stoll(settings[0].second);
    const double rate = std::stod(settings[1].second);
    EXPECT_TRUE(8 <= batch && batch <= 64 && std::to_string(batch) == settings[0].second);
    EXPECT_TRUE(1e-5 <= rate && rate <= 1e-3);
    below += rate < 1e-4;
  }
  EXPECT_TRUE(10 <= below && below <= 30) << below;  // half of them, on a logarithmic scale
  EXPECT_EQ(random_configurations(options, 40, 42), found);
  EXPECT_NE(random_configurations(options, 40, 7), found);
  EXPECT_THROW(random_configurations({swept_option("optim", "sgd,lion")}, 3, 42), UsageError);
}

}  // namespace
}  // namespace portatune::run
