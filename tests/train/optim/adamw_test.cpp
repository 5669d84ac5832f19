#include "portatune/train/optim/adamw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "train/optim/one_update.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;

TEST(AdamWOptimizer, KeepsTwoMoments) { EXPECT_THAT(slot_names(*optim::adamw({}), 2), ElementsAre("m", "v")); }

// The second update of a weight of 1 with gradients 2 and 4, the latter given as 8 with the factor 1/2.
TEST(AdamWOptimizer, CorrectsTheBiasByTheNumberOfUpdates) {
  const Tensor weight({1}, {1.0f}), m({1}, {0.2f}), v({1}, {0.004f}), gradient({1}, {8.0f});
  const std::vector<Tensor> after =
      one_update(*optim::adamw({.eps = 0}), {weight, m, v}, gradient, {.updates = 2, .factor = 0.5f});
  EXPECT_THAT(after[1].as<float>(), ElementsAre(FloatEq(0.58f)));
  EXPECT_THAT(after[2].as<float>(), ElementsAre(FloatNear(0.019996f, 1e-7f)));
  const double mean = 0.58 / (1 - 0.81), square = 0.019996 / (1 - 0.998001);
  EXPECT_THAT(after[0].as<float>(),
              ElementsAre(FloatNear(static_cast<float>(1 - 0.1 * mean / std::sqrt(square)), 1e-5f)));
}

TEST(AdamWOptimizer, DecaysMatricesOrAll) {
  const optim::WeightDecayOf matrices = optim::WeightDecayOf::kMatrices, all = optim::WeightDecayOf::kAll;
  const auto decayed = [](const Shape& shape, optim::WeightDecayOf which) {
    const Tensor zero({DType::kFloat32, shape}), weight(shape, {1.0f});
    return one_update(*optim::adamw({.weight_decay = 0.5}, which), {weight, zero, zero}, zero, {})[0].as<float>()[0];
  };
  EXPECT_FLOAT_EQ(decayed({1, 1}, matrices), 0.95f);
  EXPECT_EQ(decayed({1}, matrices), 1);
  EXPECT_FLOAT_EQ(decayed({1}, all), 0.95f);
}

}  // namespace
}  // namespace portatune::test
