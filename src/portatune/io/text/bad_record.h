// The error of a single bad record.
#pragma once

#include "portatune/error.h"

namespace portatune::io {

/// A bad record whose end is certain. The reader is already behind it, so the next record can be read. If later records
/// cannot be trusted, readers throw a plain DataError.
struct BadRecordError : DataError {
  using DataError::DataError;
};

}  // namespace portatune::io
