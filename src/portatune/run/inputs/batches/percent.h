// Shares of padding for people.
#pragma once

#include <cstdint>

namespace portatune::run {

/// 25 for 1 of 4.
inline double percent(int64_t part, int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace portatune::run
