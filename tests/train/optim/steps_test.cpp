// Steps of the libraries that have an optimizer: tests/oracle/train/make_optimizer_steps.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "portatune/train/optim/adafactor.h"
#include "portatune/train/optim/adam.h"
#include "portatune/train/optim/adamw.h"
#include "portatune/train/optim/lamb.h"
#include "portatune/train/optim/lion.h"
#include "portatune/train/optim/rmsprop.h"
#include "portatune/train/optim/sgd.h"
#include "train/optim/one_update.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr optim::WeightDecayOf kAll = optim::WeightDecayOf::kAll;

std::unique_ptr<const optim::Optimizer> optimizer_of(const json& expected) {
  const json& o = expected["options"];
  const AdamWOptions adam{.beta1 = o.value("adam_beta1", 0.9),
                          .beta2 = o.value("adam_beta2", 0.999),
                          .eps = o.value("adam_epsilon", 1e-8),
                          .weight_decay = o.value("weight_decay", 0.0)};
  const std::string name = expected["optim"];
  if (name == "adamw_torch") return optim::adamw(adam, kAll);
  if (name == "adam") return optim::adam(adam, kAll);
  if (name == "lamb") return optim::lamb(adam, kAll, kAll);
  if (name == "adafactor") return optim::adafactor(adam.weight_decay, kAll);
  if (name == "lion")
    return optim::lion({.beta1 = adam.beta1, .beta2 = adam.beta2, .weight_decay = adam.weight_decay}, kAll);
  if (name == "rmsprop") {
    return optim::rmsprop({.alpha = o.value("rmsprop_alpha", 0.99),
                           .eps = adam.eps,
                           .momentum = o.value("momentum", 0.0),
                           .centered = o.value("rmsprop_centered", false),
                           .weight_decay = adam.weight_decay},
                          kAll);
  }
  throw std::invalid_argument("no optimizer " + name);
}

Tensor tensor_of(const json& shape, const std::vector<float>& values) {
  return Tensor(Shape(shape.get<std::vector<int64_t>>()), std::span<const float>(values));
}

// The weight after each step, computed by one program. Gradients arrive as twice what they are, as from a batch of
// weight 2.
// decay  the weight decay of the steps, an input of the program; none: that of the optimizer
std::vector<Tensor> weights_after(const optim::Optimizer& optimizer, const json& of_shape, const json& rates,
                                  std::optional<float> decay = {}) {
  const json& shape = of_shape["shape"];
  std::vector<Tensor> inputs = first_state(optimizer, tensor_of(shape, of_shape["start"]));
  const size_t arrays = inputs.size();
  for (const std::vector<float> gradient : of_shape["gradients"]) inputs.push_back(tensor_of(shape, gradient));
  if (decay) inputs.push_back(Tensor({}, {*decay}));
  Values parameters, results;
  for (const Tensor& input : inputs) parameters.push_back(parameter("x", input.type()));
  optim::Update now{.weight = parameters[0], .slots = Values(parameters.begin() + 1, parameters.begin() + arrays)};
  const auto scalar = [](double value) { return full({DType::kFloat32, {}}, value); };
  for (size_t i = 0; i < rates.size(); ++i) {
    const optim::UpdateRule rule = optimizer.rule({.learning_rate = scalar(rates[i]),
                                                   .updates = scalar(static_cast<double>(i + 1)),
                                                   .factor = scalar(0.5),
                                                   .makes_update = scalar(1),
                                                   .weight_decay = decay ? parameters.back() : Value()});
    now = rule(now, 2.0 * parameters[arrays + i], {});
    results.push_back(now.weight);
  }
  return evaluate(results, parameters, inputs);
}

TEST(OptimizerSteps, AreThoseOfOtherLibraries) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/optim/steps.json"));
  for (const json& of_shape : golden["shapes"]) {
    for (const json& expected : of_shape["cases"]) {
      SCOPED_TRACE(of_shape["shape"].dump() + expected["optim"].dump() + expected["library"].dump() +
                   expected["options"].dump());
      const std::vector<Tensor> found = weights_after(*optimizer_of(expected), of_shape, golden["rates"]);
      for (size_t i = 0; i < found.size(); ++i) {
        const std::vector<float> wanted = expected["after"][i];
        EXPECT_THAT(found[i].as<float>(), Pointwise(FloatNear(3e-6f), wanted)) << "step " << i + 1;
      }
    }
  }
}

// The bits may differ where XLA joins a constant factor with an addition.
TEST(OptimizerSteps, AreTheSameWithTheWeightDecayAsAnInput) {
  using Make = std::unique_ptr<const optim::Optimizer> (*)(double decay);
  const Make makers[] = {[](double decay) { return optim::adamw({.weight_decay = decay}); },
                         [](double decay) { return optim::adam({.weight_decay = decay}); },
                         [](double decay) { return optim::lamb({.weight_decay = decay}); },
                         [](double decay) { return optim::lion({.weight_decay = decay}); },
                         [](double decay) { return optim::adafactor(decay); },
                         [](double decay) { return optim::sgd({.momentum = 0.9, .weight_decay = decay}); }};
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/optim/steps.json"));
  const auto has_rows = [](const json& of_shape) { return of_shape["shape"].size() == 2; };
  const auto matrix = std::ranges::find_if(golden["shapes"], has_rows);
  ASSERT_NE(matrix, golden["shapes"].end());
  for (const Make& make : makers) {
    const std::vector<Tensor> wanted = weights_after(*make(0.1), *matrix, golden["rates"]);
    const std::vector<Tensor> found = weights_after(*make(0), *matrix, golden["rates"], 0.1f);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_THAT(found[i].as<float>(), Pointwise(FloatNear(1e-6f), wanted[i].as<float>())) << "step " << i + 1;
    }
  }
}

std::vector<std::unique_ptr<const optim::Optimizer>> all_optimizers() {
  std::vector<std::unique_ptr<const optim::Optimizer>> all;
  all.push_back(optim::adam({.weight_decay = 0.1}));
  all.push_back(optim::lion({.weight_decay = 0.1}));
  all.push_back(optim::lamb({.weight_decay = 0.1}));
  all.push_back(optim::adafactor(0.1));
  all.push_back(optim::rmsprop({.momentum = 0.9, .centered = true, .weight_decay = 0.1}));
  return all;
}

TEST(OptimizerSteps, WithoutAnUpdateLeaveWeightsAndSlotsForAnyGradient) {
  for (const auto& optimizer : all_optimizers()) {
    std::vector<Tensor> state = first_state(*optimizer, Tensor({1, 2}, {1.0f, 2.0f}));
    const Tensor gradient({1, 2}, {NAN, 3.0f});
    const std::vector<Tensor> after = one_update(*optimizer, state, gradient, {.makes_update = 0});
    for (size_t i = 0; i < state.size(); ++i) {
      EXPECT_THAT(after[i].as<float>(), testing::ElementsAreArray(state[i].as<float>()));
    }
  }
}

TEST(OptimizerSteps, DecayMatricesAlone) {
  for (const auto& optimizer : all_optimizers()) {
    const auto moves = [&](const Shape& shape) {
      const std::vector<Tensor> state = first_state(*optimizer, Tensor(shape, {1.0f}));
      return one_update(*optimizer, state, Tensor({DType::kFloat32, shape}), {})[0].as<float>()[0] != 1;
    };
    EXPECT_TRUE(moves({1, 1}));
    EXPECT_FALSE(moves({1}));
  }
}

// Its first step has the size of the learning rate, that of a matrix would have half of it.
TEST(LambOptimizer, GivesVectorsTheStepOfAdam) {
  const std::vector<Tensor> state = first_state(*optim::lamb({}), Tensor({1}, {0.5f}));
  EXPECT_THAT(one_update(*optim::lamb({}), state, Tensor({1}, {3.0f}), {})[0].as<float>(),
              ElementsAre(FloatNear(0.4f, 1e-6f)));
}

// The decay of a parameter group may concern vectors, too.
TEST(LambOptimizer, GivesVectorsThatDecayTheStepOfAdamW) {
  const auto optimizer = optim::lamb({.weight_decay = 0.2}, kAll);
  EXPECT_THAT(
      one_update(*optimizer, first_state(*optimizer, Tensor({1}, {0.5f})), Tensor({1}, {3.0f}), {})[0].as<float>(),
      ElementsAre(FloatNear(0.39f, 1e-6f)));
}

TEST(LambOptimizer, MovesAWeightOfZero) {
  const std::vector<Tensor> state = first_state(*optim::lamb({}), Tensor({1, 1}, {0.0f}));
  EXPECT_THAT(one_update(*optim::lamb({}), state, Tensor({1, 1}, {3.0f}), {})[0].as<float>(),
              ElementsAre(FloatNear(-0.1f, 1e-6f)));
}

TEST(OptimizerSlots, HaveTheirNamesAndShapes) {
  EXPECT_THAT(slot_names(*optim::adam({}), 2), ElementsAre("m", "v"));
  EXPECT_THAT(slot_names(*optim::lamb({}), 2), ElementsAre("m", "v"));
  EXPECT_THAT(slot_names(*optim::lion({}), 2), ElementsAre("m"));
  EXPECT_THAT(slot_names(*optim::adafactor(0), 1), ElementsAre("v"));
  EXPECT_THAT(slot_names(*optim::rmsprop({}), 2), ElementsAre("v"));
  EXPECT_THAT(slot_names(*optim::rmsprop({.momentum = 0.9, .centered = true}), 2), ElementsAre("v", "momentum", "m"));
  const std::vector<optim::Slot> slots = optim::adafactor(0)->slots(3);
  ASSERT_EQ(slots.size(), 2);
  EXPECT_EQ(slots[0].shape({2, 3, 4}), (Shape{2, 3}));
  EXPECT_EQ(slots[1].shape({2, 3, 4}), (Shape{2, 4}));
}

TEST(OptimizerSlots, AreShardedAsTheAxesThatTheyHave) {
  const optim::Slot whole{"m"}, row{.name = "v_row", .without = 1}, column{.name = "v_col", .without = 0};
  const Sharding rows{.axis = 0, .over = {MeshAxis::kData}}, columns{.axis = 1, .over = {MeshAxis::kData}};
  EXPECT_EQ(whole.sharding(columns), columns);
  EXPECT_EQ(row.sharding(rows), rows);
  EXPECT_EQ(row.sharding(columns), Sharding{});
  EXPECT_EQ(column.sharding(rows), Sharding{});
  EXPECT_EQ(column.sharding(columns), rows);  // the columns are the first axis of the slot
}

}  // namespace
}  // namespace portatune::test
