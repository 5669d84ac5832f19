// JSON text of values in Arrow arrays.
#pragma once

#include <arrow/api.h>
#include <arrow/stl_allocator.h>

#include <string>

namespace portatune::arrow_plugin {

/// Text in the memory of a pool, because values of a small file may expand to terabytes of JSON. If the pool is
/// exhausted, the functions below throw std::bad_alloc.
using Text = std::basic_string<char, std::char_traits<char>, arrow::stl::allocator<char>>;

/// Returns whether values of this type have a JSON form.
bool has_json(const arrow::DataType& type);

/// Appends element `row` of an array whose type has_json(), as compact JSON. Null and non-finite numbers become null.
/// Bytes must be UTF-8.
arrow::Status append_json(const arrow::Array& array, int64_t row, Text& json);

/// Appends element `row` as top-level text: strings without quotes, nothing for null.
arrow::Status append_text(const arrow::Array& array, int64_t row, Text& text);

}  // namespace portatune::arrow_plugin
