// The rows of a batch that are of one of several processes.
#pragma once

#include <cstdint>

namespace portatune {

/// What the devices of one process take of every batch: of `parts` equal parts of its rows, in their order, those from
/// `begin` to before `end`.
struct BatchShare {
  int64_t parts = 1, begin = 0, end = 1;

  bool operator==(const BatchShare&) const = default;

  bool is_all() const { return begin == 0 && end == parts; }
};

}  // namespace portatune
