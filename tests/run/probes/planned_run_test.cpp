#include "portatune/run/probes/planned_run.h"

#include <gtest/gtest.h>

#include "portatune/error.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

TEST(PlannedRun, HasTheStepsOfTheRun) {
  const cli::Toy toy;
  RunOptions options = options_of(toy, "unused");
  options.packing = PackingPolicy::kNone;
  options.model.padding = Padding{.kind = Padding::Kind::kMaxLength, .number = 0, .lengths = {}};
  Events unobserved;
  const PlannedRun planned = planned_run(options, unobserved);
  EXPECT_EQ(planned.examples, 64);
  EXPECT_EQ(planned.steps_per_epoch, 4);
  ASSERT_EQ(planned.programs->shapes.size(), 1u);
  EXPECT_EQ(planned.programs->shapes.front().batch.front().second.shape, (Shape{16, 16}));
  EXPECT_EQ(planned.programs->shapes_with(8, Mesh{.data = 2}).front().batch.front().second.shape, (Shape{16, 16}));
  EXPECT_FALSE(std::filesystem::exists(options.output));
}

TEST(PlannedRun, WithoutRowsHasOneShape) {
  const cli::Toy toy;
  RunOptions options = options_of(toy, "unused");
  options.train = options.validation = {};
  Events unobserved;
  const PlannedRun planned = planned_run(options, unobserved);
  EXPECT_FALSE(planned.examples);
  EXPECT_FALSE(planned.steps_per_epoch);
  EXPECT_EQ(planned.programs->shapes.size(), 1u);
  options.folds = 2;
  EXPECT_THROW(planned_run(options, unobserved), UsageError);
}

}  // namespace
}  // namespace portatune::run
