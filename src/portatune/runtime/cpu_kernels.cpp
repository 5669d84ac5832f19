#include "portatune/runtime/cpu_kernels.h"

#include <mutex>
#include <set>
#include <string>

#include "portatune/kernels/cpu/registry.h"
#include "portatune/pjrt/ffi.h"
#include "portatune/pjrt/plugin.h"

namespace portatune {

// Handlers stay registered with a plugin until the process ends, also for a second Device.
void register_cpu_kernels(const pjrt::Plugin& plugin) {
  static std::mutex mutex;
  static std::set<const pjrt::Plugin*> served;
  const std::lock_guard lock(mutex);
  if (!served.insert(&plugin).second) return;
  for (const auto kernels : {kernels::cpu_kernels(), kernels::collective_kernels()}) {
    for (const kernels::CpuKernel& kernel : kernels) {
      pjrt::register_ffi(plugin, std::string(kernel.target), reinterpret_cast<pjrt::FfiHandler>(kernel.handler));
    }
  }
}

}  // namespace portatune
