// What stands in a value: attributes, items, slices.
#pragma once

#include <optional>
#include <string_view>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

// Undefined for what is not there.
// errors  Fault for an attribute or an item of something undefined
Value attribute_of(const Value& value, std::string_view name);
Value item_of(const Value& value, const Value& index);

/// By a path as filters have it: "function.name", "0.text".
Value at_path(Value value, std::string_view path);

/// value[begin:end:step]; undefined and none stand for what is left out.
Value slice_of(const Value& value, const Value& begin, const Value& end, const Value& step);

/// `in`.
bool contains(const Value& container, const Value& value);

}  // namespace portatune::jinja
