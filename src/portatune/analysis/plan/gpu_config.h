// Description of a GPU for XLA's compiler.
#pragma once

#include <string>

#include "portatune/analysis/plan/accelerators.h"

namespace portatune::plan {

/// The text of XLA's message GpuTargetConfigProto for a GPU that need not be present.
/// accelerator  an accelerator with GpuFacts
std::string gpu_target_config(const Accelerator& accelerator);

}  // namespace portatune::plan
