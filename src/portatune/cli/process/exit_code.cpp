#include "portatune/cli/process/exit_code.h"

#include <cerrno>

#include "portatune/run/output/output_error.h"
#include "portatune/run/probes/memory_advice.h"

namespace portatune::cli {
namespace {

template <class Kind>
bool is(const Error& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

bool is_denied(const Error& error) {
  const auto* const io = dynamic_cast<const IoError*>(&error);
  return io != nullptr && (io->error_number() == EACCES || io->error_number() == EPERM || io->error_number() == EROFS);
}

}  // namespace

int exit_code_of(const Error& error) {
  if (run::is_out_of_memory(error)) return kFailed;
  if (is<UsageError>(error)) return kUsage;
  if (is<DataError>(error) || is<CheckpointError>(error)) return kBadData;
  if (is<NotFoundError>(error)) return kNoInput;
  if (is<DeviceError>(error)) return kUnavailable;
  if (is<run::OutputError>(error)) return kCantCreate;
  if (is<IoError>(error)) return is_denied(error) ? kNoPermission : kIo;
  if (is<NumericError>(error)) return kNumeric;
  return kInternal;
}

}  // namespace portatune::cli
