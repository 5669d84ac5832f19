#include "portatune/train/optim/average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "portatune/train/optim/adam.h"
#include "portatune/train/optim/sgd.h"
#include "train/optim/one_update.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

// The weight and its average after an update by SGD with gradient 10, a step of -1.
std::vector<float> updated(float weight, float average, const Scalars& scalars, float gradient = 10) {
  const auto optimizer = optim::with_average(optim::sgd({}), 0.75);
  std::vector<float> after;
  for (const Tensor& array :
       one_update(*optimizer, {Tensor({1}, {weight}), Tensor({1}, {average})}, Tensor({1}, {gradient}), scalars)) {
    after.push_back(array.as<float>()[0]);
  }
  return after;
}

TEST(Average, IsTheLastSlot) {
  EXPECT_THAT(slot_names(*optim::with_average(optim::adam({}), 0.5), 2), ElementsAre("m", "v", "ema"));
  EXPECT_THAT(slot_names(*optim::with_average(optim::sgd({}), 0.5), 1), ElementsAre("ema"));
}

TEST(Average, StartsWithTheFirstUpdatedWeight) { EXPECT_THAT(updated(5, 0, {.updates = 1}), ElementsAre(4, 4)); }

TEST(Average, MovesToTheWeight) { EXPECT_THAT(updated(5, 8, {.updates = 2}), ElementsAre(4, 7)); }

TEST(Average, StaysInASkippedStep) {
  EXPECT_THAT(updated(5, 8, {.updates = 2, .makes_update = 0}, NAN), ElementsAre(5, 8));
}

}  // namespace
}  // namespace portatune::test
