// Errors of the library as exceptions of Python.
#pragma once

#include <utility>

#include "portatune/error.h"
#include "portatune/python/shared_object.h"

namespace portatune::python {

/// An exception of a user's function, for a row.
struct FunctionError final : DataError {
  FunctionError(Report report, SharedObject cause) : DataError(std::move(report)), cause(std::move(cause)) {}

  SharedObject cause;  ///< the exception
};

/// Lets functions of this module throw the errors of portatune/error.h as the classes of portatune._errors. An
/// exception of another kind is translated by nanobind.
void register_errors();

}  // namespace portatune::python
