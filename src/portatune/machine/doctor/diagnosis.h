// The state of this machine and of the installation: `portatune doctor`.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace portatune::doctor {

struct Problem {
  std::string what;
  std::string fix;  ///< advice or a command
};

struct Diagnosis {
  nlohmann::ordered_json facts;  ///< objects by topic: "cpu", "memory", "devices"; no values of secrets
  std::vector<Problem> problems;
  bool is_usable = false;  ///< whether a device can run programs
};

/// Tests the devices of a platform ("cpu", "cuda", "tpu"). Returns its plugin and devices; if it fails, an object with
/// the key "error", and a problem, unless the machine needs no such plugin. Plugins may crash or hang, so a test runs
/// in a process of its own.
using DeviceCheck = std::function<nlohmann::ordered_json(const std::string& platform, std::vector<Problem>& problems)>;

Diagnosis diagnose(const DeviceCheck& check);

}  // namespace portatune::doctor
