// The GPUs of one of several processes.
#pragma once

#include <cstdint>
#include <string>

#include "portune/processes/launch.h"

namespace portune::cli {

/// GPUs that this process can see: those of CUDA_VISIBLE_DEVICES, or all of the machine. At least one, so that the
/// plugin says what is wrong where there is none.
int64_t visible_gpus();

/// "cuda:2,3": the share of a process in the GPUs of its machine, if several processes of the launch see the same ones;
/// "cuda:0,1,...", all of them, if each sees its own.
/// visible  as above
/// wanted   takes so many of them, the first; 0: all
/// errors   UsageError if there are more processes than GPUs on a machine, which all see the same
std::string gpus_of_process(const Launch& launch, int64_t visible, int64_t wanted);

}  // namespace portune::cli
