// The operators of expressions, as in Python: parts of a value, arithmetic, concatenation, comparison.
#pragma once

#include <optional>
#include <string_view>

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

// An attribute or item; undefined if the value has none.
// errors  Fault for an attribute or item of an undefined value
Value attribute_of(const Value& value, std::string_view name);
Value item_of(const Value& value, const Value& index);

/// The value at a path in the syntax of filters: "function.name", "0.text".
Value at_path(Value value, std::string_view path);

/// value[begin:end:step]. Undefined and none mean an omitted bound.
Value slice_of(const Value& value, const Value& begin, const Value& end, const Value& step);

/// The operator `in`.
bool contains(const Value& container, const Value& value);

/// Applies a binary operator.
/// operation  + - * / // % ** ~
/// errors     Fault for incompatible types, a division by 0, a result beyond 64 bits
Value combine(std::string_view operation, const Value& left, const Value& right);

/// Applies a comparison.
/// operation  == != < <= > >= in, not in
bool compare(std::string_view operation, const Value& left, const Value& right);

Value negative(const Value& value);

}  // namespace portatune::jinja
