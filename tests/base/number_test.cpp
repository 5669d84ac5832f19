#include "portatune/base/text/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace portatune {
namespace {

TEST(NumberIn, RequiresThatTheWholeTextIsANumber) {
  EXPECT_EQ(number_in<int64_t>("-12"), -12);
  EXPECT_EQ(number_in<double>("1.5e2"), 150);
  for (const char* text : {"", " 1", "1 ", "1x", "0x10", "+1"}) {
    EXPECT_FALSE(number_in<int64_t>(text)) << text;
    EXPECT_FALSE(number_in<double>(text)) << text;
  }
  EXPECT_FALSE(number_in<int64_t>("1.5"));
}

TEST(NumberIn, RefusesIntegersThatDoNotFit) {
  EXPECT_EQ(number_in<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_FALSE(number_in<int64_t>("9223372036854775808"));
  EXPECT_FALSE(number_in<uint64_t>("-1"));
}

TEST(NumberIn, FloatingPointMayBeInfiniteOrNaN) {
  EXPECT_TRUE(std::isinf(*number_in<double>("inf")));
  EXPECT_TRUE(std::isnan(*number_in<double>("nan")));
}

}  // namespace
}  // namespace portatune
