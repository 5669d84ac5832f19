#include "portatune/train/optim/sgd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "train/optim/one_update.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::FloatNear;

Tensor row(const json& values) { return Tensor({1, 2}, {values[0].get<float>(), values[1].get<float>()}); }

// Steps of torch.optim.SGD and keras.optimizers.SGD: tests/oracle/train/make_sgd_steps.py.
TEST(SgdOptimizer, FollowsTorchAndKeras) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/optim/sgd.json"));
  for (const json& expected : golden["cases"]) {
    const json& options = expected["options"];
    SCOPED_TRACE(expected["library"].get<std::string>() + " " + options.dump());
    const auto optimizer = optim::sgd({.momentum = options.value("momentum", 0.0),
                                       .nesterov = options.value("nesterov", false),
                                       .weight_decay = options.value("weight_decay", 0.0)});
    std::vector<Tensor> state = first_state(*optimizer, row(golden["start"]));
    for (size_t i = 0; i < golden["gradients"].size(); ++i) {
      const Scalars scalars{.learning_rate = expected["rates"][i].get<float>(), .updates = static_cast<float>(i + 1)};
      state = one_update(*optimizer, state, row(golden["gradients"][i]), scalars);
      const Tensor wanted = row(expected["after"][i]);
      EXPECT_THAT(state[0].as<float>(),
                  ElementsAre(FloatNear(wanted.as<float>()[0], 1e-6f), FloatNear(wanted.as<float>()[1], 1e-6f)))
          << "step " << i + 1;
    }
  }
}

TEST(SgdOptimizer, KeepsNothingWithoutMomentum) {
  EXPECT_THAT(slot_names(*optim::sgd({.momentum = 0}), 2), ElementsAre());
  EXPECT_THAT(slot_names(*optim::sgd({.momentum = 0.9}), 2), ElementsAre("momentum"));
}

TEST(SgdOptimizer, ScalesTheGradient) {
  const Tensor weight({1}, {1.0f}), gradient({1}, {8.0f});
  EXPECT_THAT(one_update(*optim::sgd({}), {weight}, gradient, {.factor = 0.25f})[0].as<float>(),
              ElementsAre(FloatNear(0.8f, 1e-6f)));
}

TEST(SgdOptimizer, SkipsAnUpdateWithANonFiniteGradient) {
  const Tensor weight({1}, {1.0f}), momentum({1}, {3.0f}), gradient({1}, {NAN});
  const auto after = one_update(*optim::sgd({.momentum = 0.9}), {weight, momentum}, gradient, {.makes_update = 0});
  EXPECT_THAT(after[0].as<float>(), ElementsAre(1));
  EXPECT_THAT(after[1].as<float>(), ElementsAre(3));
}

}  // namespace
}  // namespace portatune::test
