#include "portatune/runtime/machine_memory.h"

#include <gtest/gtest.h>
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

}  // namespace
}  // namespace portatune
