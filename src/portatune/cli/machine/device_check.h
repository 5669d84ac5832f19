// Tests of devices by the command itself, in processes of their own.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "portatune/machine/doctor/diagnosis.h"

namespace portatune::cli {

/// The result of `portatune devices --json` for a platform: its plugin and its devices. If it fails, an object with the
/// key "error", and a problem, unless the machine needs no such plugin.
/// See doctor::DeviceCheck.
nlohmann::ordered_json check_devices(const std::string& platform, std::vector<doctor::Problem>& problems);

}  // namespace portatune::cli
