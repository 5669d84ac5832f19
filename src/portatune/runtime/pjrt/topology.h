// Devices for which programs are compiled without the devices being present.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/runtime/pjrt/client.h"
#include "portatune/runtime/pjrt/compile_options.h"

struct PJRT_Api;
struct PJRT_TopologyDescription;

namespace portatune::pjrt {

class Executable;
class Plugin;

/// A set of devices, described by a plugin.
class Topology {
 public:
  /// errors    CallError if the plugin knows no such topology
  Topology(const Plugin& plugin, const std::string& name, const Options& options = {});

  const std::vector<Device>& devices() const { return devices_; }
  /// errors    CallError; its message names a file with the module. Its kind is kOutOfMemory if the compiler finds that
  ///           the program does not fit.
  Executable compile(std::string_view module_text, const CompileOptions& options = {}) const;

 private:
  struct Destroy {
    const PJRT_Api* api;
    void operator()(PJRT_TopologyDescription* topology) const;
  };
  std::unique_ptr<PJRT_TopologyDescription, Destroy> handle_;
  std::vector<Device> devices_;
};

/// TPUs of a generation and arrangement: "v3:2x2", "v5e:2x2", "v6e:4x4", ... Chips of two cores count as two devices.
Topology tpu_topology(const Plugin& plugin, const std::string& name);

/// A number of equal GPUs in one machine.
/// target_config   the GPU as text of XLA's message GpuTargetConfigProto
Topology cuda_topology(const Plugin& plugin, const std::string& target_config, int gpus);

}  // namespace portatune::pjrt
