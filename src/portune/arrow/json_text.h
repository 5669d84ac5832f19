// A value of an Arrow array as JSON.
#pragma once

#include <arrow/api.h>

#include <string>

namespace portune::arrow_plugin {

/// Whether values of this type can be written.
bool has_json(const arrow::DataType& type);

/// Appends element `row` of a type that has_json(): compact JSON, with null for null and for numbers that are not
/// finite. Bytes must be UTF-8.
arrow::Status append_json(const arrow::Array& array, int64_t row, std::string& json);

/// Appends it as a text on its own: strings without quotes, nothing for null.
arrow::Status append_text(const arrow::Array& array, int64_t row, std::string& text);

}  // namespace portune::arrow_plugin
