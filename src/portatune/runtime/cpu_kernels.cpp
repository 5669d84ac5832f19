#include "portatune/runtime/cpu_kernels.h"

#include <map>
#include <mutex>
#include <string>

#include "portatune/kernels/cpu/collectives.h"
#include "portatune/kernels/cpu/registry.h"
#include "portatune/runtime/pjrt/ffi.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune {

// Handlers and types stay registered with a plugin until the process ends, also for a second Device.
int64_t register_cpu_kernels(const pjrt::Plugin& plugin) {
  static std::mutex mutex;
  static std::map<const pjrt::Plugin*, int64_t> served;
  const std::lock_guard lock(mutex);
  if (const auto found = served.find(&plugin); found != served.end()) return found->second;
  const int64_t type = pjrt::register_ffi_type(plugin, kernels::kProcessGroupType);
  kernels::set_process_group_type(type);
  for (const auto kernels : {kernels::cpu_kernels(), kernels::collective_kernels()}) {
    for (const kernels::CpuKernel& kernel : kernels) {
      pjrt::register_ffi(plugin, std::string(kernel.target), reinterpret_cast<pjrt::FfiHandler>(kernel.handler));
    }
  }
  served.emplace(&plugin, type);
  return type;
}

}  // namespace portatune
