// The CPU's kernels, where programs for it are compiled.
#pragma once

namespace portatune::pjrt {
class Plugin;
}

namespace portatune {

/// Makes the kernels known to a plugin, once for each. Programs that call them compile and run then.
void register_cpu_kernels(const pjrt::Plugin& plugin);

}  // namespace portatune
