#include "portune/kernels/cpu/registry.h"

#include <gtest/gtest.h>

#include <set>

namespace portune::kernels {

TEST(CpuKernels, HaveHandlersAndDistinctTargetsOfOurNamespace) {
  std::set<std::string_view> targets;
  for (const CpuKernel& kernel : cpu_kernels()) {
    EXPECT_NE(kernel.handler, nullptr) << kernel.target;
    EXPECT_TRUE(kernel.target.starts_with("portune.")) << kernel.target;
    EXPECT_TRUE(targets.insert(kernel.target).second) << kernel.target;
  }
}

TEST(CpuKernels, VersionNamesTheLibraryAndTheInstructionSet) {
  EXPECT_NE(cpu_kernels_version().find("oneDNN "), std::string::npos);
  EXPECT_NE(cpu_kernels_version().find("instruction set"), std::string::npos);
}

}  // namespace portune::kernels
