#include "portatune/run/sweep/ranking.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "portatune/error.h"

namespace portatune::run {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

RunOptions of_epochs(int64_t epochs) {
  RunOptions options;
  options.epochs = epochs;
  return options;
}

TEST(MeanOf, IsTheMeanWithTheSampleStandardDeviation) {
  const MeanScore score = mean_of({0.5, 0.7, 0.9});
  EXPECT_DOUBLE_EQ(score.mean, 0.7);
  EXPECT_NEAR(score.deviation, 0.2, 1e-12);
  EXPECT_TRUE(score.complete);
  EXPECT_EQ(mean_of({0.5}).deviation, 0);
}

TEST(MeanOf, LeavesFailedTrialsOut) {
  const MeanScore score = mean_of({0.5, std::nullopt});
  EXPECT_EQ(score.mean, 0.5);
  EXPECT_FALSE(score.complete);
  EXPECT_TRUE(std::isnan(mean_of({std::nullopt}).mean));
}

TEST(IsBetter, PutsConfigurationsWithFailedTrialsLast) {
  const MeanScore high = mean_of({0.9}), low = mean_of({0.1}), part = mean_of({0.95, std::nullopt});
  const MeanScore none = mean_of({std::nullopt});
  EXPECT_TRUE(is_better(high, low, true));
  EXPECT_TRUE(is_better(low, high, false));
  EXPECT_TRUE(is_better(low, part, true));
  EXPECT_TRUE(is_better(part, none, true));
  EXPECT_FALSE(is_better(none, part, false));
  EXPECT_FALSE(is_better(none, none, true));
}

TEST(ConfigurationsOf, JoinsTrialsWithEqualSettings) {
  const std::vector<Trial> trials = {{{{"a", "1"}}, {}}, {{{"a", "2"}}, {}}, {{{"a", "1"}}, {}}};
  const std::vector<Configuration> found = configurations_of(trials);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].trials, ElementsAre(0, 2));
  EXPECT_THAT(found[1].trials, ElementsAre(1));
}

std::vector<double> ends_of(const std::vector<Rung>& rungs) {
  std::vector<double> ends;
  for (const Rung& rung : rungs) ends.push_back(rung.end);
  return ends;
}

std::vector<size_t> seeds_of(const std::vector<Rung>& rungs) {
  std::vector<size_t> seeds;
  for (const Rung& rung : rungs) seeds.push_back(rung.seeds);
  return seeds;
}

constexpr double kWholeRun = std::numeric_limits<double>::infinity();

// Nine configurations become three and one, so the parts are a ninth and a third of the run.
TEST(Rungs, EndAtSharesOfTheRun) {
  EXPECT_THAT(ends_of(rungs_of(of_epochs(9), 9, 1, 3)), ElementsAre(DoubleEq(1.0 / 9), DoubleEq(1.0 / 3), kWholeRun));
  EXPECT_THAT(ends_of(rungs_of(of_epochs(16), 4, 1, 2)), ElementsAre(0.25, 0.5, kWholeRun));
  EXPECT_THAT(ends_of(rungs_of(of_epochs(49), 49, 1, 7)),
              ElementsAre(DoubleEq(1.0 / 49), DoubleEq(1.0 / 7), kWholeRun));
  EXPECT_THAT(ends_of(rungs_of(of_epochs(9), 1, 1, 3)), ElementsAre(kWholeRun));
  EXPECT_THAT(ends_of(rungs_of(of_epochs(9), 9, 1, 0)), ElementsAre(kWholeRun));
}

TEST(Rungs, EndWithEpochsWhereTheseAreMeasured) {
  EXPECT_THAT(ends_of(rungs_of(of_epochs(2), 9, 1, 3)), ElementsAre(0.5, kWholeRun));  // both end in the first epoch
  EXPECT_THROW(rungs_of(of_epochs(1), 9, 1, 3), UsageError);
  RunOptions by_steps = of_epochs(1);
  by_steps.eval_steps = 10;
  EXPECT_THAT(ends_of(rungs_of(by_steps, 9, 1, 3)), ElementsAre(DoubleEq(1.0 / 9), DoubleEq(1.0 / 3), kWholeRun));
}

TEST(Rungs, HaveAShareOfTheSeeds) {
  EXPECT_THAT(seeds_of(rungs_of(of_epochs(9), 9, 3, 3)), ElementsAre(1, 1, 3));
  EXPECT_THAT(seeds_of(rungs_of(of_epochs(9), 9, 10, 3)), ElementsAre(2, 4, 10));
  EXPECT_THAT(seeds_of(rungs_of(of_epochs(2), 2, 3, 2)), ElementsAre(2, 3));
  EXPECT_THAT(seeds_of(rungs_of(of_epochs(9), 9, 3, 0)), ElementsAre(3));
}

}  // namespace
}  // namespace portatune::run
