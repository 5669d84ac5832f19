#include "portune/kernels/cpu/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "portune/kernels/cpu/gemm.h"

namespace portune::kernels {

TEST(CpuKernels, HaveHandlersAndDistinctTargetsOfOurNamespace) {
  std::set<std::string_view> targets;
  for (const CpuKernel& kernel : cpu_kernels()) {
    EXPECT_NE(kernel.handler, nullptr) << kernel.target;
    EXPECT_TRUE(kernel.target.starts_with("portune.")) << kernel.target;
    EXPECT_TRUE(targets.insert(kernel.target).second) << kernel.target;
  }
}

// Machines without matrix products of oneDNN's own lack those of the second line.
TEST(CpuKernels, AreThoseThatTheGraphCalls) {
  std::set<std::string_view> targets;
  for (const CpuKernel& kernel : cpu_kernels()) targets.insert(kernel.target);
  std::set<std::string_view> expected{"portune.gelu",           "portune.gelu_grad",       "portune.dropout",
                                      "portune.layer_norm",     "portune.layer_norm_grad", "portune.adamw",
                                      "portune.sum_of_squares", "portune.embedding_grad",  "portune.rms_norm",
                                      "portune.rms_norm_grad",  "portune.rotary",          "portune.barrier",
                                      "portune.column_sums"};
  if (gemm_is_native(DType::kFloat32)) {
    expected.insert({"portune.linear", "portune.linear_no_bias", "portune.linear_dx", "portune.linear_dw",
                     "portune.attention", "portune.attention_grad"});
  }
  EXPECT_EQ(targets, expected);
}

TEST(CpuKernels, VersionNamesTheLibraryAndTheInstructionSet) {
  EXPECT_NE(cpu_kernels_version().find("oneDNN "), std::string::npos);
  EXPECT_NE(cpu_kernels_version().find("instruction set"), std::string::npos);
}

}  // namespace portune::kernels
