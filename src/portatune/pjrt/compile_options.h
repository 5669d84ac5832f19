// How a module is compiled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace portatune::pjrt {

/// XLA's debug options by name, such as {"xla_backend_optimization_level", 0}. Plugins refuse unknown names.
using XlaOptions = std::map<std::string, std::variant<bool, int64_t, double, std::string>>;

struct CompileOptions {
  /// Devices that run the module side by side, each on its own arrays.
  int64_t replicas = 1;
  /// Devices that each replica is split over, by the annotations (`sdy`) in the module.
  int64_t partitions = 1;
  /// The ids of the devices of the replicas, in their order; empty: as the plugin assigns them. For one partition each.
  std::vector<int64_t> device_ids = {};
  XlaOptions xla_options = {};
};

/// As the serialised xla.CompileOptionsProto that plugins take.
std::string serialize(const CompileOptions& options);

}  // namespace portatune::pjrt
