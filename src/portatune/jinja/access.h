// Access to parts of a value: attributes, items, slices.
#pragma once

#include <optional>
#include <string_view>

#include "portatune/jinja/value.h"

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

}  // namespace portatune::jinja
