// The GPUs of one of several processes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/processes/launch.h"

namespace portatune::run {

/// GPUs that this process can see: those of CUDA_VISIBLE_DEVICES, or all of the machine. At least one, so that the
/// plugin says what is wrong where there is none.
int64_t visible_gpus();

/// "cuda:2,3": the share of a process in the GPUs of its machine, if several processes of the launch see the same ones;
/// "cuda:0,1,...", all of them, if each sees its own.
/// visible  as above
/// wanted   takes so many of them, the first; 0: all
/// errors   UsageError if there are more processes than GPUs on a machine, which all see the same
std::string gpus_of_process(const Launch& launch, int64_t visible, int64_t wanted);

/// What this process may open of its machine.
struct OpenGpus {
  std::string machine;  ///< its name and when it was started, by which NCCL tells machines apart, too; empty: not known
  std::vector<int64_t> files;  ///< N of each /dev/nvidiaN, in order
};
OpenGpus open_gpus();

/// A number for each of these GPUs, counted among those that are visible: the same in two processes only where it is
/// one GPU; 0 where that cannot be told. CUDA counts what a process may open, so that by numbers only those are
/// compared which may open the same: in a container, or under Slurm's cgroups, GPU 0 may be any.
std::vector<uint64_t> marks_of_gpus(std::span<const int64_t> numbers, const OpenGpus& open);

/// All processes call it, each with the marks of its own GPUs.
/// errors  UsageError unless all have equally many, or if two have one and the same
void require_own_gpus(ProcessGroup& processes, std::span<const uint64_t> marks);

}  // namespace portatune::run
