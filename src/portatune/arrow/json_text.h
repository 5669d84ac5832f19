// A value of an Arrow array as JSON.
#pragma once

#include <arrow/api.h>
#include <arrow/stl_allocator.h>

#include <string>

namespace portatune::arrow_plugin {

/// In the memory of a pool, as a small file may have values of which terabytes of JSON would come. Where the pool has
/// no more, functions below throw std::bad_alloc.
using Text = std::basic_string<char, std::char_traits<char>, arrow::stl::allocator<char>>;

/// Whether values of this type can be written.
bool has_json(const arrow::DataType& type);

/// Appends element `row` of a type that has_json(): compact JSON, with null for null and for numbers that are not
/// finite. Bytes must be UTF-8.
arrow::Status append_json(const arrow::Array& array, int64_t row, Text& json);

/// Appends it as a text on its own: strings without quotes, nothing for null.
arrow::Status append_text(const arrow::Array& array, int64_t row, Text& text);

}  // namespace portatune::arrow_plugin
