// The filters and tests of Jinja that chat templates use.
#pragma once

#include <string>

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

class Renderer;

/// Evaluates value | name(arguments).
/// errors  Unsupported for an unknown filter
Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments, Renderer& r);

/// Evaluates value is name(arguments).
/// errors  Unsupported for an unknown test
bool apply_test(const std::string& name, const Value& value, const Arguments& arguments);

}  // namespace portatune::jinja
