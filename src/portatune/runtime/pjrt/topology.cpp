#include "portatune/runtime/pjrt/topology.h"

#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/compile.h"
#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::pjrt {
namespace {

PJRT_TopologyDescription* create(const PJRT_Api& api, const std::string& name, const Options& options) {
  const std::vector<PJRT_NamedValue> values = to_pjrt(options);
  return PORTATUNE_PJRT(api, PJRT_TopologyDescription_Create, .topology_name = name.data(),
                        .topology_name_size = name.size(), .create_options = values.data(),
                        .num_options = values.size())
      .topology;
}

}  // namespace

void Topology::Destroy::operator()(PJRT_TopologyDescription* topology) const {
  PORTATUNE_PJRT_DESTROY(*api, PJRT_TopologyDescription_Destroy, .topology = topology);
}

Topology::Topology(const Plugin& plugin, const std::string& name, const Options& options)
    : handle_(create(plugin.api(), name, options), Destroy{&plugin.api()}) {
  const auto found =
      PORTATUNE_PJRT(plugin.api(), PJRT_TopologyDescription_GetDeviceDescriptions, .topology = handle_.get());
  for (size_t i = 0; i < found.num_descriptions; ++i) {
    devices_.push_back(describe(plugin.api(), found.descriptions[i]));
  }
}

Executable Topology::compile(std::string_view module_text, const CompileOptions& options) const {
  const PJRT_Api& api = *handle_.get_deleter().api;
  return {api, pjrt::compile(api, handle_.get(), module_text, options)};
}

Topology tpu_topology(const Plugin& plugin, const std::string& name) { return {plugin, name}; }

Topology cuda_topology(const Plugin& plugin, const std::string& target_config, int gpus) {
  // Partitions x machines x GPUs in each.
  const std::string name = "1x1x" + std::to_string(gpus);
  return {plugin, name, {{"target_config", target_config}, {"topology", name}}};
}

}  // namespace portatune::pjrt
