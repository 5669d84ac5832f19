// The GPUs of one of several processes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/runtime/processes/launch.h"

namespace portatune::run {

/// Number of GPUs that this process sees: those of CUDA_VISIBLE_DEVICES, or all of the machine. At least 1, so that the
/// plugin reports a missing GPU.
int64_t visible_gpus();

/// The device name for this process: "cuda:2,3", its share of the machine's GPUs, if several processes of the launch
/// see the same ones; "cuda:0,1,...", all of them, if each sees its own.
/// visible  see visible_gpus()
/// wanted   number of GPUs to take, from the first; 0: all
/// errors   UsageError if more processes than GPUs share a machine
std::string gpus_of_process(const Launch& launch, int64_t visible, int64_t wanted);

/// The GPUs that this process may open.
struct OpenGpus {
  std::string machine;         ///< Name and boot id of the machine, which NCCL compares, too; empty: unknown.
  std::vector<int64_t> files;  ///< N of each /dev/nvidiaN, ascending.
};
OpenGpus open_gpus();

/// A mark for each of these visible GPUs: two processes have the same mark only for the same GPU; 0: unknown. CUDA
/// numbers the GPUs that a process may open, so numbers are compared only between processes that may open the same
/// ones: in a container, or under Slurm's cgroups, GPU 0 may be any.
std::vector<uint64_t> marks_of_gpus(std::span<const int64_t> numbers, const OpenGpus& open);

/// Requires that no two processes use one GPU. All processes call it with the marks of their GPUs.
/// errors  UsageError if two processes share a GPU, or have different numbers of GPUs
void require_own_gpus(ProcessGroup& processes, std::span<const uint64_t> marks);

}  // namespace portatune::run
