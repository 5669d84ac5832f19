#include "portatune/runtime/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace portatune {
namespace {

// The number in the line "NAME NUMBER ..." of a file.
std::optional<int64_t> number_called(std::string_view wanted, const char* file) {
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

// The memory of the control group; nothing without a limit. The kernel frees inactive pages of files when needed.
std::optional<DeviceMemory> control_group() {
  int64_t limit = 0, current = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> limit) || limit <= 0) return {};
  if (!(std::ifstream("/sys/fs/cgroup/memory.current") >> current)) return {};
  const int64_t files = number_called("inactive_file", "/sys/fs/cgroup/memory.stat").value_or(0);
  return DeviceMemory{.in_use_bytes = std::max<int64_t>(0, current - files), .limit_bytes = limit};
}

}  // namespace

DeviceMemory machine_memory() {
  const DeviceMemory machine = whole_machine();
  const std::optional<DeviceMemory> group = control_group();
  return group && group->limit_bytes < machine.limit_bytes ? *group : machine;
}

std::optional<int64_t> resident_bytes() {
  int64_t all_pages = 0, resident_pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> all_pages >> resident_pages)) return {};
  return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace portatune
