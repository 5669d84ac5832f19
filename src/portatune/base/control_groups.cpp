#include "portatune/base/control_groups.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "portatune/base/text/text_parts.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

// Version 2 writes "QUOTA PERIOD" into one file, and "max" without a quota; version 1 has a file for each, and -1.
std::optional<double> quota_of_group(const fs::path& group) {
  double quota_us = 0, period_us = 0;
  std::ifstream version_2(group / "cpu.max");
  if (!(version_2 >> quota_us >> period_us)) {
    std::ifstream quota(group / "cpu.cfs_quota_us"), period(group / "cpu.cfs_period_us");
    if (!(quota >> quota_us) || !(period >> period_us)) return {};
  }
  if (quota_us <= 0 || period_us <= 0) return {};
  return quota_us / period_us;
}

}  // namespace

// A line is "0::PATH" in version 2, and "NUMBER:CONTROLLERS:PATH" in version 1. In a container the path may be one of
// the host, which does not exist here; the group of the process is then the outermost folder.
std::vector<fs::path> control_groups(std::string_view controller, const fs::path& root) {
  const fs::path all = root / "sys" / "fs" / "cgroup";
  std::ifstream lines(root / "proc" / "self" / "cgroup");
  std::vector<fs::path> groups;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(":/", first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string list = line.substr(first + 1, second - first - 1);
    const bool is_version_2 = list.empty();
    const std::vector<std::string> controllers = split(list, ',');  // "cpu,cpuacct"
    if (!is_version_2 && std::ranges::find(controllers, controller) == controllers.end()) continue;
    const fs::path outermost = is_version_2 ? all : all / controller;
    for (fs::path path = line.substr(second + 2); !path.empty(); path = path.parent_path()) {
      groups.push_back(outermost / path);
    }
    groups.push_back(outermost);
  }
  return groups;
}

std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> least;
  for (const fs::path& group : control_groups("cpu", root)) {
    const std::optional<double> quota = quota_of_group(group);
    if (quota) least = std::min(least.value_or(*quota), *quota);
  }
  return least;
}

}  // namespace portatune
