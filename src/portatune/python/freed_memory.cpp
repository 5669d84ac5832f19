#include "portatune/python/freed_memory.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace portatune::python {
namespace {

// Returns whether the settings of malloc are those of this module.
bool set_malloc() {
  constexpr std::array kChoices = {"MALLOC_ARENA_MAX", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_",
                                   "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"};
  if (std::ranges::any_of(kChoices, [](const char* name) { return std::getenv(name) != nullptr; })) return false;
  constexpr int kNever = -1;
  // An arena of a thread maps each block that is larger than 64 MiB, so new threads share the first arena.
  return mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_MMAP_MAX, 0) == 1 && mallopt(M_TRIM_THRESHOLD, kNever) == 1;
}

bool is_malloc_set() {
  static const bool is_set = set_malloc();
  return is_set;
}

}  // namespace

KeptMemory::KeptMemory() { is_malloc_set(); }

KeptMemory::~KeptMemory() {
  if (is_malloc_set()) malloc_trim(0);
}

}  // namespace portatune::python
