// Processes with limited memory, for EXPECT_EXIT: they show how much memory a function needs.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PORTATUNE_TEST_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PORTATUNE_TEST_SANITIZER 1
#endif

namespace portatune {

/// False with sanitizers, which reserve terabytes of addresses.
#ifdef PORTATUNE_TEST_SANITIZER
inline constexpr bool kMemoryCanBeLimited = false;
#else
inline constexpr bool kMemoryCanBeLimited = true;
#endif

/// Limits the address space of this process to its present size plus `more_bytes`.
inline void limit_memory(int64_t more_bytes) {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto bytes = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + more_bytes);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

/// Ends the process with 0 if `action` returns true within the memory limit.
template <class Action>
[[noreturn]] void exit_after(int64_t more_bytes, const Action& action) {
  alarm(60);
  limit_memory(more_bytes);
  try {
    _exit(action() ? 0 : 1);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    _exit(2);
  }
}

}  // namespace portatune
