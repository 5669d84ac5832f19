#include "portatune/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "portatune/error.h"

namespace portatune {

TEST(Tensor, IsZeroAndAlignedTo64Bytes) {
  const Tensor tensor({DType::kFloat32, {3, 5}});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
  for (const float x : tensor.as<float>()) EXPECT_EQ(x, 0.0f);
}

TEST(Tensor, CopiesByValue) {
  Tensor a({2}, {1.0f, 2.0f});
  const Tensor b = a;
  a.as<float>()[0] = 9.0f;
  EXPECT_EQ(b.as<float>()[0], 1.0f);
}

TEST(Tensor, RefusesAnotherElementTypeAndAWrongCount) {
  const Tensor tensor({2}, {1, 2});
  EXPECT_THROW(tensor.as<float>(), UsageError);
  EXPECT_THROW(Tensor({3}, {1, 2}), UsageError);
}

TEST(Tensor, TypeHasTheNamesOfNumPy) {
  EXPECT_EQ(to_string(TensorType{DType::kBFloat16, {8, 128}}), "bfloat16[8, 128]");
  EXPECT_EQ((TensorType{DType::kBFloat16, {8, 128}}).bytes(), 2048);
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(Shape{}.elements(), 1);
}

TEST(BFloat16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(to_bfloat16(1.00390625f), 0x3F80);  // halfway: to even, down
  EXPECT_EQ(to_bfloat16(1.01171875f), 0x3F82);  // halfway: to even, up
  EXPECT_EQ(from_bfloat16(0xC000), -2.0f);
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isinf(from_bfloat16(to_bfloat16(std::numeric_limits<float>::infinity()))));
}

TEST(Float16, RoundTripsRepresentableValues) {
  EXPECT_EQ(to_float16(1.0f), 0x3C00);
  EXPECT_EQ(from_float16(to_float16(-0.333251953125f)), -0.333251953125f);
  EXPECT_TRUE(std::isinf(from_float16(to_float16(1e6f))));
}

TEST(ToFloats, ReadsEveryFloatType) {
  const uint16_t bits[] = {0x3F80, 0xC000};
  EXPECT_EQ(to_floats({{DType::kBFloat16, {2}}, reinterpret_cast<const std::byte*>(bits)}),
            (std::vector<float>{1, -2}));
  EXPECT_EQ(to_floats(Tensor({1}, {0.5}).view()), (std::vector<float>{0.5f}));
  EXPECT_THROW(to_floats(Tensor({1}, {1}).view()), UsageError);
}

}  // namespace portatune
