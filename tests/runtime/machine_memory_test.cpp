#include "portatune/runtime/machine_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

namespace portatune {
namespace {

TEST(MachineMemory, IsAtMostThePhysicalMemory) {
  struct sysinfo info;
  ASSERT_EQ(sysinfo(&info), 0);
  const DeviceMemory memory = machine_memory();
  EXPECT_GT(*memory.limit_bytes, int64_t{1} << 28);
  EXPECT_LE(*memory.limit_bytes, static_cast<int64_t>(info.totalram) * info.mem_unit);
  EXPECT_GT(memory.in_use_bytes, 0);
  EXPECT_LT(memory.in_use_bytes, *memory.limit_bytes);
}

TEST(ResidentBytes, AreAtMostTheirMaximum) {
  rusage usage{};
  const int64_t bytes = resident_bytes().value_or(0);
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_GT(bytes, 1 << 20);
  EXPECT_LE(bytes, usage.ru_maxrss * 1024 + (1 << 20));  // the kernel counts each thread's last pages later
}

}  // namespace
}  // namespace portatune
