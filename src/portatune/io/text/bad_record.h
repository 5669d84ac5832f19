// What is wrong with one record alone.
#pragma once

#include "portatune/error.h"

namespace portatune::io {

/// A record is not what it should be, but where it ends is certain, and the reader stands behind it: the next one can
/// be read. Readers throw plain DataErrors where what follows cannot be trusted.
struct BadRecordError : DataError {
  using DataError::DataError;
};

}  // namespace portatune::io
