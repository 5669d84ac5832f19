// Exit codes; from 64 on those of sysexits.h. Scripts and schedulers rely on them: see docs/command-line.md.
#pragma once

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
  kCantCreate = 73,   ///< something is in the place of the output
  kIo = 74,           ///< disk full, a failed read or write, another refusal of the system
  kInterrupted = 75,  ///< stopped by a signal after saving: to be continued
  kNumeric = 76,      ///< a loss, an output or a weight is not finite
  kNoPermission = 77,
  kSignal = 128  ///< plus the signal's number
};

/// The exit code for an error.
int exit_code_of(const Error& error);

}  // namespace portatune::cli
