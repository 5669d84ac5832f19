#include "portune/cli/exit_code.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace portune::cli {
namespace {

template <class Kind>
bool is(const Error& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

// IoError carries the system's words, not its number.
bool is_denied(const Error& error) {
  for (const int number : {EACCES, EPERM, EROFS}) {
    if (error.report().given.find(std::strerror(number)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

int exit_code_of(const Error& error) {
  if (is<UsageError>(error)) return kUsage;
  if (is<DataError>(error) || is<CheckpointError>(error)) return kBadData;
  if (is<NotFoundError>(error)) return kNoInput;
  if (is<DeviceError>(error)) return kUnavailable;
  if (is<OutputError>(error)) return kCantCreate;
  if (is<IoError>(error)) return is_denied(error) ? kNoPermission : kIo;
  if (is<NumericError>(error)) return kNumeric;
  return kInternal;
}

}  // namespace portune::cli
