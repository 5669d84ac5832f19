// Jinja's filters, as far as chat templates use them.
#pragma once

#include <string>

#include "portatune/jinja/arguments.h"

namespace portatune::jinja {

class Renderer;

/// value | name(arguments).
/// errors  Unsupported for a filter of another name
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments, Renderer& r);

/// value is name(arguments).
/// errors  Unsupported for a test of another name
bool apply_test(const std::string& name, const Value& value, const Arguments& arguments);

}  // namespace portatune::jinja
