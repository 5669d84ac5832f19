#include "portune/plan/compiler.h"

#include <chrono>

#include "portune/pjrt/client.h"
#include "portune/pjrt/plugin.h"
#include "portune/pjrt/topology.h"
#include "portune/plan/cpu_peaks.h"
#include "portune/plan/gpu_config.h"
#include "portune/runtime/cpu_kernels.h"

namespace portune::plan {
namespace {

using Clock = std::chrono::steady_clock;

Compiled facts_of(const pjrt::Executable& executable, Clock::time_point start) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return {executable.memory_stats(), hlo_traffic(executable.optimized_hlo()), seconds};
}

pjrt::Topology topology_of(const Accelerator& accelerator) {
  const pjrt::Plugin& plugin = pjrt::Plugin::load(pjrt::find_plugin(accelerator.platform));
  return accelerator.gpu ? pjrt::cuda_topology(plugin, gpu_target_config(accelerator), 1)
                         : pjrt::tpu_topology(plugin, std::string(accelerator.topology));
}

// XLA takes three quarters of a GPU's memory if it is not told otherwise (its memory_fraction).
int64_t usable_bytes(const Accelerator& accelerator) {
  return accelerator.gpu ? accelerator.memory_bytes / 4 * 3 : accelerator.memory_bytes;
}

class AheadOfTimeCompiler final : public Compiler {
 public:
  explicit AheadOfTimeCompiler(const Accelerator& accelerator)
      : Compiler(usable_bytes(accelerator), accelerator.peaks), topology_(topology_of(accelerator)) {}

  Compiled compile(const Function& function) const override {
    const Clock::time_point start = Clock::now();
    return facts_of(topology_.compile(to_stablehlo(function, {})), start);
  }

 private:
  pjrt::Topology topology_;
};

// Through a client, as the CPU's plugin has no topologies.
class CpuCompiler final : public Compiler {
 public:
  explicit CpuCompiler(const DeviceOptions& options)
      : Compiler(memory_of_machine(), measured_peaks(options)),
        client_(pjrt::Client::open(
            "cpu", {.plugin_file = options.plugin.empty() ? std::nullopt : std::optional(options.plugin)})),
        target_(cpu_target(options.use_kernels)) {
    register_cpu_kernels(client_.plugin());
  }

  Compiled compile(const Function& function) const override {
    const Clock::time_point start = Clock::now();
    return facts_of(client_.compile(to_stablehlo(function, target_)).executable(), start);
  }

 private:
  pjrt::Client client_;
  portune::Target target_;
};

}  // namespace

std::unique_ptr<Compiler> open_compiler(const Target& target, const DeviceOptions& cpu) {
  if (target.accelerator->platform == "cpu") return std::make_unique<CpuCompiler>(cpu);
  return std::make_unique<AheadOfTimeCompiler>(*target.accelerator);
}

}  // namespace portune::plan
