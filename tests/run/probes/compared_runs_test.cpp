#include "portatune/run/probes/compared_runs.h"

#include <gtest/gtest.h>

#include "portatune/error.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

TEST(ComparedRuns, OfOneSettingAreEqual) {
  const cli::Toy toy;
  Events unobserved;
  const ComparedRuns runs =
      compare_runs({.run = options_of(toy, "unused"), .against = "kernels", .steps = 2, .tolerance = {}}, unobserved);
  EXPECT_EQ(describe(runs.settings[0]), describe(runs.settings[1]));
  EXPECT_EQ(runs.comparison.steps.size(), 2u);
  EXPECT_EQ(runs.comparison.max_loss_apart(), 0);
  EXPECT_TRUE(runs.comparison.passed());
}

TEST(ComparedRuns, RefuseAnUnknownSetting) {
  const cli::Toy toy;
  Events unobserved;
  EXPECT_THROW(compare_runs({.run = options_of(toy, "unused"), .against = "int8", .tolerance = {}}, unobserved),
               UsageError);
}

}  // namespace
}  // namespace portatune::run
