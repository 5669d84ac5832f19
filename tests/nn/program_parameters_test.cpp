#include "portatune/nn/program_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/ops.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(std::span<const nn::Parameter> parameters) {
  std::vector<std::string> names;
  for (const nn::Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

TEST(ProgramParameters, UnusedBuffersAreLastAndNoArguments) {
  nn::Context context({});
  const nn::Scope root(context);
  root.buffer("unused", {3}, {});
  const Value used = root.buffer("used", {3}, {}), weight = root.parameter("weight", {3}, {});
  root.parameter("unused weight", {3}, {});
  const Values results{used * weight};
  const std::vector<nn::Parameter> parameters = nn::parameters_of(context, results);
  EXPECT_THAT(names_of(parameters), ElementsAre("used", "weight", "unused weight", "unused"));
  EXPECT_THAT(names_of(nn::arguments_of(parameters)), ElementsAre("used", "weight", "unused weight"));
  EXPECT_EQ(nn::inputs_of(nn::arguments_of(parameters))[1], weight);
}

TEST(ProgramParameters, ALoopUsesWhatItsBodyUses) {
  nn::Context context({});
  const Value used = nn::Scope(context).buffer("used", {3}, {});
  const Value index = parameter("index", {DType::kInt32, {}});
  const Values sums = loop_sum({used * convert(index, DType::kFloat32)}, index, 4);
  EXPECT_EQ(nn::arguments_of(nn::parameters_of(context, sums)).size(), 1u);
}

}  // namespace
}  // namespace portatune::test
