// Errors of the library as exceptions of Python.
#pragma once

namespace portatune::python {

/// Lets functions of this module throw the errors of portatune/error.h as the classes of portatune._errors. An
/// exception of another kind is translated by nanobind.
void register_errors();

}  // namespace portatune::python
