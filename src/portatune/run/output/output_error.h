// The error of an output folder with other files.
#pragma once

#include "portatune/error.h"

namespace portatune::run {

/// The error that the output would overwrite files of another origin.
struct OutputError : Error {
  using Error::Error;
};

}  // namespace portatune::run
