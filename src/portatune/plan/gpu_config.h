// A GPU as XLA's compiler takes it.
#pragma once

#include <string>

#include "portatune/plan/accelerators.h"

namespace portatune::plan {

/// The text of XLA's message GpuTargetConfigProto for a GPU that is not there.
/// accelerator  one with GpuFacts
std::string gpu_target_config(const Accelerator& accelerator);

}  // namespace portatune::plan
