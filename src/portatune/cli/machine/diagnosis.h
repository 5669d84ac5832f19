// What `portatune doctor` finds out about this machine and the installation.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace portatune::cli {

struct Problem {
  std::string what;
  std::string fix;  ///< advice or a command
};

struct Diagnosis {
  nlohmann::ordered_json facts;  ///< objects by topic: "cpu", "memory", "devices"; no values of secrets
  std::vector<Problem> problems;
  bool is_usable = false;  ///< whether a device can run programs
};

/// Runs `portatune devices` for each kind of device in a process of its own, because plugins may crash or hang.
Diagnosis diagnose();

}  // namespace portatune::cli
