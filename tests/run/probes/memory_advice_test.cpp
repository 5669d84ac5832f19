#include "portatune/run/probes/memory_advice.h"

#include <gtest/gtest.h>

namespace portatune::run {
namespace {

TEST(MemoryAdvice, BatchThatFitsIsInProportionToTheMemoryThatIsFree) {
  EXPECT_EQ(fitting_batch_size(1000, 16'000, 4'000), 250);
  EXPECT_EQ(fitting_batch_size(1000, 16'000, 15), 0);
  EXPECT_EQ(fitting_batch_size(1000, 16'000, 16'000), 0) << "it should have fitted";
}

TEST(MemoryAdvice, PartsOfABatchAreEqual) {
  EXPECT_EQ(parts_for(1000, 250), 4);
  EXPECT_EQ(parts_for(1000, 249), 5);
  EXPECT_EQ(parts_for(7, 3), 7);
  EXPECT_EQ(parts_for(32, 32), 1);
}

}  // namespace
}  // namespace portatune::run
