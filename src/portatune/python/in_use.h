// A guard for objects that one call at a time may use.
#pragma once

#include <atomic>

#include "portatune/error.h"

namespace portatune::python {

/// Marks an object as in use while this one lives. A callback of fit(), say, would change the model in the middle of a
/// step.
class InUse {
 public:
  /// what    kind of the object, for the error
  /// errors  UsageError if the object is in use
  InUse(std::atomic<bool>& flag, const char* what) : flag_(flag) {
    if (!flag_.exchange(true)) return;
    throw UsageError({.where = what,
                      .given = "a call while another one is running, from a callback or from another thread",
                      .expected = "one call at a time"});
  }
  ~InUse() { flag_ = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace portatune::python
