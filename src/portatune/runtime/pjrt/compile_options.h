// Options for the compilation of a module.
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
  /// Number of devices that run the module together, each on its own arrays.
  int64_t replicas = 1;
  /// Number of devices over which each replica is divided, by the annotations (`sdy`) in the module.
  int64_t partitions = 1;
  /// Ids of the devices of the replicas, in order, for one partition each; empty: the plugin assigns them.
  std::vector<int64_t> device_ids = {};
  XlaOptions xla_options = {};
};

/// The options as a serialised xla.CompileOptionsProto, the form that plugins take.
std::string serialize(const CompileOptions& options);

}  // namespace portatune::pjrt
