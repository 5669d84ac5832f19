#include "portatune/runtime/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/base/control_groups.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

// The number in the line "NAME NUMBER ..." of a file.
std::optional<int64_t> number_called(std::string_view wanted, const fs::path& file) {
  std::ifstream in(file);
  std::string name, rest;
  for (int64_t number = 0; in >> name >> number; std::getline(in, rest)) {
    if (name == wanted) return number;
  }
  return {};
}

DeviceMemory whole_machine() {
  const int64_t all = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  const std::optional<int64_t> available_kibibytes = number_called("MemAvailable:", "/proc/meminfo");
  const int64_t available =
      available_kibibytes ? *available_kibibytes * 1024 : sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return {.in_use_bytes = all - std::min(all, available), .limit_bytes = all};
}

std::optional<int64_t> number_in(const fs::path& file) {
  int64_t number = 0;
  if (!(std::ifstream(file) >> number)) return {};
  return number;
}

// The memory of a control group; nothing without a limit. The kernel frees inactive pages of files when needed.
std::optional<DeviceMemory> memory_of_group(const fs::path& group) {
  struct Files {
    const char *limit, *current, *inactive;
  };
  constexpr std::array kVersions = {Files{"memory.max", "memory.current", "inactive_file"},
                                    Files{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};
  for (const Files& names : kVersions) {
    const std::optional<int64_t> limit = number_in(group / names.limit), current = number_in(group / names.current);
    if (!limit || *limit <= 0 || !current) continue;
    const int64_t files = number_called(names.inactive, group / "memory.stat").value_or(0);
    return DeviceMemory{.in_use_bytes = std::max<int64_t>(0, *current - files), .limit_bytes = *limit};
  }
  return {};
}

}  // namespace

DeviceMemory machine_memory() {
  const DeviceMemory machine = whole_machine();
  DeviceMemory least = machine;
  const auto free_bytes = [](const DeviceMemory& memory) { return *memory.limit_bytes - memory.in_use_bytes; };
  for (const fs::path& path : control_groups("memory")) {
    const std::optional<DeviceMemory> group = memory_of_group(path);
    if (group && group->limit_bytes < machine.limit_bytes && free_bytes(*group) < free_bytes(least)) least = *group;
  }
  return least;
}

std::optional<int64_t> resident_bytes() {
  int64_t all_pages = 0, resident_pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> all_pages >> resident_pages)) return {};
  return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace portatune
