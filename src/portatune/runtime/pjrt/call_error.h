// The error of a failed call of the PJRT API.
#pragma once

#include <string>

#include "portatune/error.h"

namespace portatune::pjrt {

/// A call that the plugin refused or that failed on the device. `where` is "PJRT_Client_Compile: INTERNAL: <message>".
class CallError : public DeviceError {
 public:
  enum class Kind { kOutOfMemory, kUnimplemented, kOther };

  CallError(Report report, Kind kind) : DeviceError(std::move(report)), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace portatune::pjrt
