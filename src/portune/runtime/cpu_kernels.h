// The CPU's kernels, where programs for it are compiled.
#pragma once

namespace portune::pjrt {
class Plugin;
}

namespace portune {

/// Makes the kernels known to a plugin, once for each. Programs that call them compile and run then.
void register_cpu_kernels(const pjrt::Plugin& plugin);

}  // namespace portune
