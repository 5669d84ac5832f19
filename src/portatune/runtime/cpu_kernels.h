// Registration of the CPU's kernels with its plugin.
#pragma once

#include <cstdint>

namespace portatune::pjrt {
class Plugin;
}

namespace portatune {

/// Registers the kernels with a plugin, once per plugin, so that programs that call them compile and run.
/// returns  the number of kernels::kProcessGroupType, for pjrt::ExecuteContext
int64_t register_cpu_kernels(const pjrt::Plugin& plugin);

}  // namespace portatune
