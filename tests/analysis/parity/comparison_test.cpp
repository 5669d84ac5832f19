#include "portatune/analysis/parity/comparison.h"

#include <gtest/gtest.h>

#include <limits>

#include "portatune/error.h"

namespace portatune::parity {
namespace {

Recorded recorded(std::initializer_list<float> values, double torch_difference = 0) {
  return {.place = "grads.safetensors, tensor x",
          .values = Tensor({static_cast<int64_t>(values.size())}, values),
          .torch_difference = torch_difference};
}

TEST(Comparison, ToleranceIsTorchsErrorTimesTenOrAFractionOfTheLargestElement) {
  EXPECT_DOUBLE_EQ(allowed_error(recorded({0.1f}), DType::kFloat32), 2e-5);
  EXPECT_DOUBLE_EQ(allowed_error(recorded({-8.0f}), DType::kFloat32), 16e-5);
  EXPECT_DOUBLE_EQ(allowed_error(recorded({1.0f}, 1e-4), DType::kFloat32), 1e-3);
  EXPECT_DOUBLE_EQ(allowed_error(recorded({4.0f}, 1e-4), DType::kBFloat16), 8e-2);
}

TEST(Comparison, OneElementTooFarOffFails) {
  const Comparison c = compare("output", "x", Tensor({3}, {1.0f, 2.5f, 4.0f}), recorded({1, 2, 4}), 0.25);
  EXPECT_FALSE(c.passed);
  EXPECT_EQ(c.strays, 1);
  EXPECT_DOUBLE_EQ(c.max_abs_error, 0.5);
  EXPECT_DOUBLE_EQ(c.max_rel_error, 0.125);
  EXPECT_TRUE(compare("output", "x", Tensor({3}, {1.0f, 2.5f, 4.0f}), recorded({1, 2, 4}), 0.5).passed);
}

TEST(Comparison, NanFails) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(compare("output", "x", Tensor({2}, {nan, 2.0f}), recorded({1, 2}), 1e9).passed);
}

TEST(Comparison, IgnoresHiddenPositions) {
  const auto first = [](int64_t i) { return i == 0; };
  EXPECT_TRUE(compare("output", "x", Tensor({2}, {1.0f, 9.0f}), recorded({1, 2}), 0.1, first).passed);
}

TEST(Comparison, OtherRowsOfASparseRecordAreZero) {
  Recorded rows{.place = "", .values = Tensor({1, 2}, {5.0f, 6.0f}), .rows = {1}, .sparse = true};
  EXPECT_TRUE(compare("gradient", "x", Tensor({2, 2}, {0.0f, 0.0f, 5.0f, 6.0f}), rows, 0.1).passed);
  EXPECT_FALSE(compare("gradient", "x", Tensor({2, 2}, {0.0f, 1.0f, 5.0f, 6.0f}), rows, 0.1).passed);
  rows.rows = {2};
  EXPECT_THROW(compare("gradient", "x", Tensor({2, 2}, {0.0f, 0.0f, 5.0f, 6.0f}), rows, 0.1), CheckpointError);
}

TEST(Comparison, ShapeErrorNamesFileAndTensor) {
  try {
    compare("output", "x", Tensor({2}, {1.0f, 2.0f}), recorded({1, 2, 3}), 1);
    ADD_FAILURE() << "no error";
  } catch (const CheckpointError& error) {
    EXPECT_EQ(error.report().where, "grads.safetensors, tensor x");
  }
}

TEST(Comparison, ASingleNumberMayHaveAnAxis) {
  EXPECT_TRUE(compare("output", "loss", Tensor({}, {1.5f}), recorded({1.5f}), 1e-6).passed);
}

TEST(Comparison, AllowsAFewStrayElementsAfterOptimizerSteps) {
  const Recorded wanted = recorded({0, 0, 0, 0});
  const auto check = [&](std::initializer_list<float> found, bool noise) {
    return compare_updated("after", "x", Tensor({4}, found), wanted, 1e-3, noise).passed;
  };
  EXPECT_TRUE(check({0.004f, 0.004f, 0, 0}, false));
  EXPECT_FALSE(check({0.004f, 0.004f, 0.004f, 0}, false)) << "three of four";
  EXPECT_FALSE(check({0.006f, 0, 0, 0}, false)) << "more than 5 lr";
  EXPECT_TRUE(check({0.004f, 0.004f, 0.004f, 0}, true));
  EXPECT_FALSE(check({0.006f, 0, 0, 0}, true));
}

}  // namespace
}  // namespace portatune::parity
