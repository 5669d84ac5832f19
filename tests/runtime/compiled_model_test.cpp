#include "portatune/runtime/compiled_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/error.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

ModelProgram program(const std::string& key) {
  const Value x = parameter("x", {DType::kFloat32, {2}});
  return {.key = key,
          .what = "program " + key,
          .function = {.parameters = {x}, .results = {x + x}},
          .parameters = {{.name = key, .value = x}}};
}

TEST(CompiledModel, LoadsTheWeightsBeforeItCompiles) {
  std::vector<std::string> events;
  CompiledModel model(decompositions(),
                      [&](const auto& parameters) { events.push_back("load " + parameters[0].name); });
  model.compile({program("a"), program("b")}, [&](const std::string& what, double, bool) { events.push_back(what); });
  EXPECT_THAT(events, ElementsAre("load a", "load b", "program a", "program b"));
}

TEST(CompiledModel, KeepsProgramsByTheirKeys) {
  CompiledModel model(decompositions(), [](const auto&) {});
  EXPECT_FALSE(model.has("a"));
  model.compile({program("a")}, {});
  EXPECT_TRUE(model.has("a"));
  EXPECT_FALSE(model.has("b"));
  DeviceArray x = decompositions().put(Tensor({2}, {1.0f, 2.0f}));
  EXPECT_THAT(model.at("a").run({&x})[0].to_host().as<float>(), ElementsAre(2, 4));
}

TEST(CompiledModel, CompilesNothingForACheckpointThatDoesNotFit) {
  CompiledModel model(decompositions(),
                      [](const auto&) { throw UsageError({.where = "weights", .given = "none", .expected = "all"}); });
  EXPECT_THROW(model.compile({program("a")}, {}), UsageError);
  EXPECT_FALSE(model.has("a"));
}

}  // namespace
}  // namespace portatune::test
