// Arithmetic and joining, as Python has them.
#pragma once

#include <string_view>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

/// operation  + - * / // % ** ~
/// errors     Fault for types that do not go together, a division by 0, a result beyond 64 bits
Value combine(std::string_view operation, const Value& left, const Value& right);

/// operation  == != < <= > >= in, not in
bool compare(std::string_view operation, const Value& left, const Value& right);

Value negative(const Value& value);

}  // namespace portatune::jinja
