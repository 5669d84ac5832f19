#include <gtest/gtest.h>

#include "portatune/base/text/number.h"

namespace portatune {
namespace {

TEST(Units, GroupThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123456), "-123,456");
}

TEST(Units, SizesHaveTheLargestUnitBelowThem) {
  EXPECT_EQ(decimal_size(999), "999 B");
  EXPECT_EQ(decimal_size(1.34e9), "1.34 GB");
  EXPECT_EQ(binary_size(1024), "1.00 KiB");
  EXPECT_EQ(binary_size(5 * 1024 * 1024 / 4), "1.25 MiB");
}

}  // namespace
}  // namespace portatune
