#include "portatune/analysis/plan/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <string_view>
#include <vector>

#include "portatune/analysis/plan/cpu_peaks.h"
#include "portatune/analysis/plan/gpu_config.h"
#include "portatune/base/text/number.h"
#include "portatune/base/threads/clock.h"
#include "portatune/base/threads/stop.h"
#include "portatune/runtime/cpu_kernels.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/runtime/pjrt/client.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "portatune/runtime/pjrt/topology.h"
#include "portatune/runtime/target.h"

namespace portatune::plan {
namespace {

// Properties of a compiled program. Writes it to `keep`, if there is one.
Compiled facts_of(std::string_view module_text, const pjrt::Executable& executable, double seconds,
                  ProgramWriter* keep) {
  stop_if_requested();  // a compiler does not react to signals
  if (keep != nullptr) keep->add(module_text, executable);
  return {executable.memory_stats(), hlo_traffic(executable.optimized_hlo()), seconds, executable.cost("flops"),
          executable.cost("bytes accessed")};
}

// "v5e:2x4" for "v5e:2x2": doubles the last of the shortest sides, which gives the topologies in which TPUs are
// offered.
std::string twice_as_large(const std::string& topology) {
  const size_t colon = topology.find(':');
  std::vector<int64_t> sides;
  for (const auto side : std::views::split(std::string_view(topology).substr(colon + 1), 'x')) {
    sides.push_back(*number_in<int64_t>(std::string_view(side.begin(), side.end())));
  }
  *std::ranges::min_element(sides | std::views::reverse) *= 2;
  return fmt::format("{}:{}", topology.substr(0, colon), fmt::join(sides, "x"));
}

pjrt::Topology topology_of(const Accelerator& accelerator, int64_t devices) {
  const pjrt::Plugin& plugin = pjrt::Plugin::load(pjrt::find_plugin(accelerator.platform));
  if (accelerator.gpu) return pjrt::cuda_topology(plugin, gpu_target_config(accelerator), static_cast<int>(devices));
  for (std::string name(accelerator.topology);; name = twice_as_large(name)) {
    pjrt::Topology topology = pjrt::tpu_topology(plugin, name);
    if (std::ssize(topology.devices()) >= devices) return topology;
  }
}

// XLA takes three quarters of a GPU's memory by default.
int64_t usable_bytes(const Accelerator& accelerator, const GpuMemoryOptions& gpu) {
  if (!accelerator.gpu) return accelerator.memory_bytes;
  return static_cast<int64_t>(static_cast<double>(accelerator.memory_bytes) * gpu.fraction.value_or(0.75f));
}

class AheadOfTimeCompiler final : public Compiler {
 public:
  AheadOfTimeCompiler(const Accelerator& accelerator, const DeviceOptions& options)
      : Compiler(usable_bytes(accelerator, options.gpu_memory), accelerator.peaks),
        accelerator_(accelerator),
        target_(target_for(accelerator.platform, options)) {
    topology_with(1);  // so that a missing plugin is an error at once
  }

  Compiled compile(const Function& function, ProgramWriter* keep) const override {
    const int64_t devices = function.mesh.devices();
    const pjrt::Topology& topology = topology_with(devices);
    const std::string text = to_stablehlo(function, target_);
    const Clock::time_point start = Clock::now();
    const pjrt::Executable executable = topology.compile(
        text, {.replicas = devices, .xla_options = xla_options_for(accelerator_.platform, function.mesh)});
    return facts_of(text, executable, seconds_since(start), keep);
  }

  ProgramOrigin origin() const override {
    const std::string platform(accelerator_.platform);
    return origin_of(pjrt::Plugin::load(pjrt::find_plugin(platform)), platform, /*use_kernels=*/false);
  }

 private:
  const pjrt::Topology& topology_with(int64_t devices) const {
    const auto known = topologies_.find(devices);
    if (known != topologies_.end()) return known->second;
    return topologies_.emplace(devices, topology_of(accelerator_, devices)).first->second;
  }

  const Accelerator& accelerator_;
  const portatune::Target target_;
  mutable std::map<int64_t, pjrt::Topology> topologies_;  // by their minimal number of devices
};

Peaks share_of(Peaks peaks, double devices) {
  for (double* peak : {&peaks.float32, &peaks.bfloat16, &peaks.bytes}) *peak /= devices;
  return peaks;
}

Peaks peaks_of_machine(DeviceOptions options) {
  options.mesh = {};
  return measured_peaks(options);
}

// Compiles with a client, as the CPU's plugin has no topologies.
class CpuCompiler final : public Compiler {
 public:
  explicit CpuCompiler(const DeviceOptions& options)
      : Compiler(machine_memory().limit_bytes.value_or(0) / options.mesh.devices(),
                 share_of(peaks_of_machine(options), static_cast<double>(options.mesh.devices()))),
        client_(pjrt::Client::open(
            "cpu", {.plugin_file = options.plugin.empty() ? std::nullopt : std::optional(options.plugin),
                    .cpu_devices = static_cast<int>(options.mesh.devices())})),
        target_(target_for("cpu", options)),
        use_kernels_(options.use_kernels) {
    register_cpu_kernels(client_.plugin());
  }

  Compiled compile(const Function& function, ProgramWriter* keep) const override {
    const std::string text = to_stablehlo(function, target_);
    const Clock::time_point start = Clock::now();
    const pjrt::LoadedExecutable loaded = client_.compile(text, {.replicas = function.mesh.devices()});
    return facts_of(text, loaded.executable(), seconds_since(start), keep);
  }

  ProgramOrigin origin() const override { return origin_of(client_.plugin(), "cpu", use_kernels_); }

 private:
  pjrt::Client client_;
  const portatune::Target target_;
  const bool use_kernels_;
};

}  // namespace

std::unique_ptr<Compiler> open_compiler(const Target& target, DeviceOptions options) {
  options.cudnn_attention = options.cudnn_attention && target.accelerator->gpu;  // only for GPUs
  if (target.accelerator->platform == "cpu") return std::make_unique<CpuCompiler>(options);
  return std::make_unique<AheadOfTimeCompiler>(*target.accelerator, options);
}

}  // namespace portatune::plan
