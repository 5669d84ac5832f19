// Tests of devices by the command `portatune`, in processes of their own, because plugins may crash or hang.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "portatune/machine/doctor/diagnosis.h"

namespace portatune::doctor {

/// The result of `portatune devices --json` for a platform ("cpu", "cuda", "tpu"): its plugin and its devices. If it
/// fails, an object with the key "error", and a problem, unless the machine needs no such plugin.
nlohmann::ordered_json check_devices(const std::filesystem::path& command, const std::string& platform,
                                     std::vector<Problem>& problems);

}  // namespace portatune::doctor
