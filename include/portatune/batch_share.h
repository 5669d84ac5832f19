// The share of each batch that belongs to one process.
#pragma once

#include <cstdint>

namespace portatune {

/// The share of each batch on the devices of one process: its rows are divided into `parts` equal parts in order, and
/// the process has the parts [begin, end).
struct BatchShare {
  int64_t parts = 1, begin = 0, end = 1;

  bool operator==(const BatchShare&) const = default;

  bool is_all() const { return begin == 0 && end == parts; }
};

}  // namespace portatune
