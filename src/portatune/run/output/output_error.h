#pragma once

#include "portatune/error.h"

namespace portatune::run {

/// The output would overwrite files that are not its own.
struct OutputError : Error {
  using Error::Error;
};

}  // namespace portatune::run
