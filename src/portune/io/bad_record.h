// What is wrong with one record alone.
#pragma once

#include "portune/error.h"

namespace portune::io {

/// A record is not what it should be, but where it ends is certain, and the reader stands behind it: the next one can
/// be read. Readers throw plain DataErrors where what follows cannot be trusted.
struct BadRecordError : DataError {
  using DataError::DataError;
};

}  // namespace portune::io
