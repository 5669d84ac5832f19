#include "portune/runtime/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

namespace portune {
namespace {

int64_t all_bytes() {
  const int64_t built_in = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  int64_t limit = 0;
  const bool is_limited = (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) && limit > 0;
  return is_limited ? std::min(built_in, limit) : built_in;
}

// "MemAvailable:   24610940 kB".
int64_t available_bytes() {
  std::ifstream in("/proc/meminfo");
  std::string name, rest;
  for (int64_t kibibytes = 0; in >> name >> kibibytes; std::getline(in, rest)) {
    if (name == "MemAvailable:") return kibibytes * 1024;
  }
  return sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

}  // namespace

DeviceMemory machine_memory() {
  const int64_t all = all_bytes();
  return {.in_use_bytes = all - std::min(all, available_bytes()), .limit_bytes = all};
}

}  // namespace portune
