// Where memory does not suffice: what was asked for, and which options need less.
#pragma once

#include <cstdint>
#include <functional>

namespace portatune::cli {

/// What a command computes at a time.
struct Workload {
  int64_t batch_size = 1;
  int64_t gradient_accumulation_steps = 0;  ///< 0: it does not train
  bool remat = false;                       ///< whether activations are computed again
  bool is_on_cpu = true;                    ///< so that this machine's memory is what must suffice
};

/// Runs a command; returns its exit code.
/// errors  OutOfMemoryError in place of std::bad_alloc, and of a device's error for want of memory
int with_memory_advice(const Workload& workload, const std::function<int()>& command);

/// The largest batch that fits if memory grows in proportion to the batch; nothing if not even one row does, or the
/// whole batch should.
/// requested_bytes  what could not be had for a batch of `batch_size`
int64_t fitting_batch_size(int64_t batch_size, int64_t requested_bytes, int64_t available_bytes);

/// The fewest parts into which a batch is divided evenly so that each has at most `fitting` rows.
int64_t parts_for(int64_t batch_size, int64_t fitting);

}  // namespace portatune::cli
