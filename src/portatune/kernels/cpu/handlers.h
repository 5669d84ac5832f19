// The kernels of each file with handlers. cpu_kernels() in registry.cpp chooses those of this machine.
#pragma once

#include <vector>

#include "portatune/kernels/cpu/registry.h"

namespace portatune::kernels {

std::vector<CpuKernel> attention_kernels();
std::vector<CpuKernel> barrier_kernels();
std::vector<CpuKernel> block_attention_kernels();
std::vector<CpuKernel> convolution_kernels();
std::vector<CpuKernel> elementwise_kernels();
std::vector<CpuKernel> layer_norm_kernels();
std::vector<CpuKernel> linear_kernels();
std::vector<CpuKernel> rms_norm_kernels();
std::vector<CpuKernel> search_kernels();
std::vector<CpuKernel> update_kernels();

}  // namespace portatune::kernels
