// Advice for runs whose batches do not fit into memory.
#pragma once

#include <cstdint>
#include <functional>

#include "portatune/error.h"

namespace portatune::run {

/// The memory of a device or of this machine does not suffice.
struct OutOfMemoryError : Error {
  using Error::Error;
};

/// The amount that a command computes at a time.
struct Workload {
  int64_t batch_size = 1;
  int64_t gradient_accumulation_steps = 0;  ///< 0: the command does not train
  bool remat = false;                       ///< true if activations are computed again
  bool is_on_cpu = true;                    ///< true if the memory of this machine is the limit
};

/// Runs a command; returns its result.
/// errors  OutOfMemoryError in place of std::bad_alloc and of a device's error for lack of memory
int with_memory_advice(const Workload& workload, const std::function<int()>& command);

/// Returns whether an error is for lack of memory: an OutOfMemoryError, or a device's error.
bool is_out_of_memory(const Error& error);

/// The largest batch that fits if memory grows in proportion to the batch; 0 if not even one row fits, or if the whole
/// batch should fit.
/// requested_bytes  size of the failed request for a batch of `batch_size`
int64_t fitting_batch_size(int64_t batch_size, int64_t requested_bytes, int64_t available_bytes);

/// The fewest parts into which a batch is divided evenly so that each has at most `fitting` rows.
int64_t parts_for(int64_t batch_size, int64_t fitting);

}  // namespace portatune::run
