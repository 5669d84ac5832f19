// Exit codes; from 64 on those of sysexits.h. Scripts and schedulers rely on them: see docs/command-line.md.
#pragma once

#include <cstdint>
#include <functional>

#include "portatune/error.h"

namespace portatune::cli {

enum ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kBadData = 65,      ///< a data or model file is not what it should be
  kNoInput = 66,      ///< a file or folder is missing
  kUnavailable = 69,  ///< a plugin or a device is missing or has failed
  kInternal = 70,     ///< a defect of Portatune
  kHang = 71,         ///< nothing went on for as long as --hang-timeout says
  kCantCreate = 73,   ///< the output is in the way of something
  kIo = 74,           ///< disk full, a failed read or write, another refusal of the system
  kInterrupted = 75,  ///< stopped by a signal after saving: to be continued
  kNumeric = 76,      ///< a loss, an output or a weight is not finite
  kNoPermission = 77,
  kSignal = 128  ///< plus the signal's number
};

/// The memory of a device or of this machine does not suffice.
struct OutOfMemoryError : Error {
  using Error::Error;
};

int exit_code_of(const Error& error);

/// The amount that a command computes at a time.
struct Workload {
  int64_t batch_size = 1;
  int64_t gradient_accumulation_steps = 0;  ///< 0: the command does not train
  bool remat = false;                       ///< true if activations are computed again
  bool is_on_cpu = true;                    ///< true if the memory of this machine is the limit
};

/// Runs a command; returns its exit code.
/// errors  OutOfMemoryError in place of std::bad_alloc and of a device's error for lack of memory
int with_memory_advice(const Workload& workload, const std::function<int()>& command);

/// The largest batch that fits if memory grows in proportion to the batch; 0 if not even one row fits, or if the whole
/// batch should fit.
/// requested_bytes  size of the failed request for a batch of `batch_size`
int64_t fitting_batch_size(int64_t batch_size, int64_t requested_bytes, int64_t available_bytes);

/// The fewest parts into which a batch is divided evenly so that each has at most `fitting` rows.
int64_t parts_for(int64_t batch_size, int64_t fitting);

}  // namespace portatune::cli
