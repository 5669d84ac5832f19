#include "portatune/analysis/plan/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune::plan {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Target, NameWithoutANumberIsOneDevice) {
  const Target target = target_called("cuda:a100-40gb");
  EXPECT_EQ(target.accelerator->name, "cuda:a100-40gb");
  EXPECT_EQ(target.devices, 1);
  EXPECT_EQ(target_called("cpu").accelerator->platform, "cpu");
}

TEST(Target, NumbersFollowGooglesNames) {
  EXPECT_EQ(target_called("tpu:v3-8").devices, 8);   // 8 cores, each a device
  EXPECT_EQ(target_called("tpu:v5p-8").devices, 4);  // 8 cores of 4 chips, each a device
  EXPECT_EQ(target_called("tpu:v5e-8").devices, 8);  // 8 chips
  EXPECT_EQ(target_called("cuda:h100x8").devices, 8);
  EXPECT_EQ(target_called("cuda:a100-80gbx16").devices, 16);
  EXPECT_EQ(target_called("tpu:v5p-8").name, "tpu:v5p-8");
}

TEST(Target, AdvisesOnIncompleteNames) {
  for (const auto& [name, fix] : {std::pair{"gpu", "name a GPU: cuda:h100"},
                                  {"cuda", "name a GPU: cuda:h100"},
                                  {"tpu", "name a TPU: tpu:v5e-8"},
                                  {"H100", "did you mean cuda:h100?"},
                                  {"h100x8", "did you mean cuda:h100x8?"},
                                  {"v5e-8", "did you mean tpu:v5e-8?"}}) {
    const auto call = [typed = std::string(name)] { target_called(typed); };
    EXPECT_THAT(call, ThrowsMessage<UsageError>(HasSubstr(fix))) << name;
  }
}

TEST(Target, ErrorForUnknownNameSuggestsTheNearest) {
  EXPECT_THAT(
      [] { target_called("tpu:v5-8"); },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("'tpu:v5-8'"), HasSubstr("cuda:l4"), HasSubstr("did you mean tpu:v"))));
  EXPECT_THAT([] { target_called("cuda:h10"); }, ThrowsMessage<UsageError>(HasSubstr("did you mean cuda:h100?")));
  for (const char* wrong : {"", "tpu", "cpux2", "cpu-2", "tpu:v3x8", "cuda:h100-8", "cuda:h100x", "cuda:h100xx8"}) {
    EXPECT_THROW(target_called(wrong), UsageError) << wrong;
  }
}

TEST(Target, RejectsNumbersWithoutDevices) {
  EXPECT_THAT([] { target_called("tpu:v5p-7"); }, ThrowsMessage<UsageError>(HasSubstr("two cores are a device")));
  EXPECT_THAT([] { target_called("cuda:h100x0"); }, ThrowsMessage<UsageError>(HasSubstr("at least 1")));
  EXPECT_THROW(target_called("cuda:h100x-1"), UsageError);
}

TEST(Target, RejectsNumbersWithoutASlice) {
  EXPECT_THAT([] { target_called("tpu:v3-9"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("'tpu:v3-9'"), HasSubstr("a power of two"))));
  for (const char* wrong : {"tpu:v3-0", "tpu:v3-10", "tpu:v3-4096", "tpu:v5e-512", "tpu:v5p-1", "cuda:h100x99999"}) {
    EXPECT_THROW(target_called(wrong), UsageError) << wrong;
  }
  EXPECT_EQ(target_called("tpu:v3-2048").devices, 2048);
  EXPECT_EQ(target_called("tpu:v4-384").devices, 384);  // three cubes
  EXPECT_EQ(target_called("tpu:v5p-8960").devices, 4480);
  EXPECT_EQ(target_called("tpu:7x-128").devices, 128);
}

// Compares data sheets with the table: peaks per chip of bfloat16, and bytes.
TEST(Accelerators, MatchTheDataSheets) {
  const auto chip = [](const char* name, double cores) {
    return cores * target_called(name).accelerator->peaks.bfloat16;
  };
  EXPECT_DOUBLE_EQ(chip("tpu:v3", 2), 123e12);
  EXPECT_DOUBLE_EQ(chip("tpu:v5e", 1), 197e12);
  EXPECT_DOUBLE_EQ(chip("tpu:7x", 2), 2307e12);
  EXPECT_DOUBLE_EQ(chip("cuda:a100-40gb", 1), 312e12);
}

TEST(Accelerators, AreComplete) {
  for (const Accelerator& accelerator : accelerators()) {
    SCOPED_TRACE(accelerator.name);
    EXPECT_EQ(accelerator.platform == "cuda", accelerator.gpu.has_value());
    EXPECT_EQ(accelerator.platform == "tpu", !accelerator.topology.empty());
    if (accelerator.platform == "cpu") continue;
    EXPECT_TRUE(accelerator.name.starts_with(accelerator.platform));
    EXPECT_GT(accelerator.memory_bytes, int64_t{7} << 30);
    // Products of bfloat16 are faster than those of float32; and peaks are higher in operations than in bytes.
    EXPECT_GT(accelerator.peaks.bfloat16, 3 * accelerator.peaks.float32);
    EXPECT_GT(accelerator.peaks.float32, 9 * accelerator.peaks.bytes);
  }
}

}  // namespace
}  // namespace portatune::plan
