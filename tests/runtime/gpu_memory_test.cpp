#include "portatune/runtime/gpu_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "portatune/error.h"

namespace portatune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The names and types are those of XLA's CUDA plugin, which refuses others.
TEST(GpuMemory, ConvertsToPluginOptions) {
  const pjrt::Options taken =
      plugin_options({.fraction = 0.5f, .preallocate = false, .allocator = "cuda_async"}, "cuda:1", "cuda");
  EXPECT_EQ(taken, (pjrt::Options{
                       {"memory_fraction", 0.5f}, {"preallocate", false}, {"allocator", std::string("cuda_async")}}));
}

TEST(GpuMemory, OmitsAbsentOptions) {
  EXPECT_TRUE(plugin_options({}, "cuda", "cuda").empty());
  EXPECT_TRUE(plugin_options({}, "cpu", "cpu").empty());
}

TEST(GpuMemory, RefusesOtherDevices) {
  EXPECT_THAT([] { plugin_options({.fraction = 0.5f}, "cpu", "cpu"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("gpu_memory_fraction"), HasSubstr("\"cpu\""))));
  EXPECT_THAT([] { plugin_options({.preallocate = true}, "tpu", "tpu"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("gpu_preallocate"), HasSubstr("\"tpu\""))));
}

TEST(GpuMemory, RefusesInvalidValues) {
  for (const float fraction : {0.0f, -1.0f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THAT([&] { plugin_options({.fraction = fraction}, "cuda", "cuda"); },
                ThrowsMessage<UsageError>(HasSubstr("a number above 0 and at most 1")))
        << fraction;
  }
  EXPECT_THAT([] { plugin_options({.allocator = "malloc"}, "cuda", "cuda"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("malloc"), HasSubstr("one of bfc, cuda_async, platform"))));
}

}  // namespace
}  // namespace portatune
