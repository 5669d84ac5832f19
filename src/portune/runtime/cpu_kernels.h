// The CPU's kernels, where programs for it are compiled.
#pragma once

#include "portune/graph.h"

namespace portune::pjrt {
class Plugin;
}

namespace portune {

/// Makes the kernels known to a plugin, once for each. Programs that call them compile and run then.
void register_cpu_kernels(const pjrt::Plugin& plugin);

struct CpuTargetOptions {
  bool use_kernels = true;
  bool across_processes = false;  ///< whether each device of the mesh is a process of its own
};
/// What programs for the CPU are lowered for.
Target cpu_target(const CpuTargetOptions& options);

}  // namespace portune
