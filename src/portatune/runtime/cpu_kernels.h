// Registration of the CPU's kernels with its plugin.
#pragma once

namespace portatune::pjrt {
class Plugin;
}

namespace portatune {

/// Registers the kernels with a plugin, once per plugin, so that programs that call them compile and run.
void register_cpu_kernels(const pjrt::Plugin& plugin);

}  // namespace portatune
