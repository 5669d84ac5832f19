#include "portatune/kernels/cpu/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "portatune/kernels/cpu/matmul/gemm.h"

namespace portatune::kernels {

TEST(CpuKernels, HaveHandlersAndDistinctTargets) {
  std::set<std::string_view> targets;
  for (const CpuKernel& kernel : cpu_kernels()) {
    EXPECT_NE(kernel.handler, nullptr) << kernel.target;
    EXPECT_TRUE(kernel.target.starts_with("portatune.")) << kernel.target;
    EXPECT_TRUE(targets.insert(kernel.target).second) << kernel.target;
  }
}

// Machines without native matrix products of oneDNN lack the kernels of the second line.
TEST(CpuKernels, MatchTheCallsOfTheGraph) {
  std::set<std::string_view> targets;
  for (const CpuKernel& kernel : cpu_kernels()) targets.insert(kernel.target);
  std::set<std::string_view> expected{"portatune.gelu",           "portatune.gelu_grad",       "portatune.dropout",
                                      "portatune.layer_norm",     "portatune.layer_norm_grad", "portatune.adamw",
                                      "portatune.sum_of_squares", "portatune.embedding_grad",  "portatune.rms_norm",
                                      "portatune.rms_norm_grad",  "portatune.rotary",          "portatune.barrier",
                                      "portatune.column_sums",    "portatune.top_k",           "portatune.log_sum_exp"};
  if (gemm_is_native(DType::kFloat32)) {
    expected.insert({"portatune.convolution", "portatune.convolution_dfilter", "portatune.linear",
                     "portatune.linear_no_bias", "portatune.linear_dx", "portatune.linear_dw", "portatune.attention",
                     "portatune.attention_grad", "portatune.attention_bias_grad", "portatune.block_attention",
                     "portatune.block_attention_grad", "portatune.cached_attention"});
  }
  EXPECT_EQ(targets, expected);
}

TEST(CpuKernels, VersionNamesTheLibraryAndTheInstructionSet) {
  EXPECT_NE(cpu_kernels_version().find("oneDNN "), std::string::npos);
  EXPECT_NE(cpu_kernels_version().find("instruction set"), std::string::npos);
}

}  // namespace portatune::kernels
