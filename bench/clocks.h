// Clocks of benchmarks.
#pragma once

#include <time.h>

namespace portatune {

/// Seconds of a clock of clock_gettime().
inline double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// CPU time of the process: other load on the machine affects it less than wall time.
inline double cpu_seconds() { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace portatune
