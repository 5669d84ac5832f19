// Arithmetic, concatenation and comparison, as in Python.
#pragma once

#include <string_view>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

/// Applies a binary operator.
/// operation  + - * / // % ** ~
/// errors     Fault for incompatible types, a division by 0, a result beyond 64 bits
Value combine(std::string_view operation, const Value& left, const Value& right);

/// Applies a comparison.
/// operation  == != < <= > >= in, not in
bool compare(std::string_view operation, const Value& left, const Value& right);

Value negative(const Value& value);

}  // namespace portatune::jinja
