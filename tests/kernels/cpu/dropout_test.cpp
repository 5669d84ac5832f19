#include "portatune/kernels/cpu/elementwise/dropout.h"

#include <limits>

#include "kernels/cpu/dropout_mask.h"
#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

constexpr uint32_t kDropoutKey[2] = {0x12345678, 0x9ABCDEF0};

// Expected values from the hash's definition, in Python:
//   h = (i * 0x9E3779B9 + key0) & M; h ^= h >> 16; h = h * 0x21f0aaad & M; h ^= h >> 15
//   h = (h + key1) & M; h = h * 0xd35a2d97 & M; h ^= h >> 15            where M = 2**32 - 1
TEST(DropoutBits, MatchTheDefinition) {
  const std::pair<uint32_t, uint32_t> expected[] = {{0, 0x9fde34bd},    {1, 0x3af19760},     {2, 0x35573c59},
                                                    {3, 0x0c5dc048},    {31, 0x53916403},    {127, 0xd72d553c},
                                                    {1000, 0x958e5834}, {65535, 0x45783b40}, {0xffffffff, 0xac67abff}};
  for (const auto& [index, bits] : expected)
    EXPECT_EQ(dropout_bits(kDropoutKey[0], kDropoutKey[1], index), bits) << index;
  EXPECT_EQ(dropout_bits(0, 0, 0), 0U);
  EXPECT_EQ(dropout_bits(0, 0, 1), 0xc4631032U);
}

TEST(DropoutMask, HasTheThresholdAndTheScaleOfTheRule) {
  const float rule[2] = {429496736.0F, 1.125F};
  EXPECT_EQ(DropoutMask(kDropoutKey, rule).threshold, 429496736U);
  EXPECT_EQ(DropoutMask(kDropoutKey, rule).scale, 1.125F);
}

template <class T>
class Dropout : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(Dropout, ElementTypes);

TYPED_TEST(Dropout, DropsWhereTheBitsAreBelowTheThreshold) {
  const TestWorkers workers;
  for (const int64_t size : {1, 3, 7, 31, 33, 127, 100'003}) {
    const auto x = random_array<TypeParam>(size, 1);
    std::vector<TypeParam> y(x.size());
    dropout(workers, mask_of(kDropoutKey, 0.3F), size, x.data(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const bool keep =
          dropout_bits(kDropoutKey[0], kDropoutKey[1], static_cast<uint32_t>(i)) >= 1288490240U;  // float(0.3) * 2^32
      const float expected = keep ? to_float(from_float<TypeParam>(to_float(x[i]) * (1 / (1 - 0.3F)))) : 0;
      ASSERT_EQ(to_float(y[i]), expected) << i;
    }
  }
}

TYPED_TEST(Dropout, DropsTheRequestedShare) {
  const int64_t size = 1'000'000;
  const std::vector<TypeParam> x(static_cast<size_t>(size), from_float<TypeParam>(1));
  std::vector<TypeParam> y(x.size());
  dropout(CallerOnly(), mask_of(kDropoutKey, 0.1F), size, x.data(), y.data());
  int64_t dropped = 0;
  for (const TypeParam& value : y) dropped += to_float(value) == 0;
  EXPECT_NEAR(static_cast<double>(dropped), 1e5, 5 * 300);  // five standard deviations of a binomial distribution
}

TEST(DropoutOfNonFinite, IsZeroWhereDropped) {
  const std::vector<float> x(64, std::numeric_limits<float>::infinity());
  std::vector<float> y(x.size());
  dropout(CallerOnly(), mask_of(kDropoutKey, 0.5F), 64, x.data(), y.data());
  for (const float value : y) EXPECT_FALSE(std::isnan(value));
}

}  // namespace
}  // namespace portatune::kernels
