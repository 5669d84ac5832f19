// The control groups (cgroups) of Linux, by which containers limit processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace portatune {

/// Folders with the limits of this process for a resource: its control group, and the groups around it.
/// controller  name of the resource in version 1: "cpu", "memory"; version 2 has one folder for all of them
/// root        of the file system
std::vector<std::filesystem::path> control_groups(std::string_view controller, const std::filesystem::path& root = "/");

/// Processor time that the control groups allow, in seconds per second; nothing without a quota.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace portatune
