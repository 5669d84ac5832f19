// Columns of the Arrow C data interface as JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "portatune/python/arrow/c_data.h"

namespace portatune::python {

/// Writes the values of a column of one type as JSON, in the form of data::read_arrow(): null and numbers that are not
/// finite are null, bytes are texts, lists are arrays, structs are objects.
class JsonColumn {
 public:
  virtual ~JsonColumn() = default;
  /// Appends a value. Rows are counted from the offset of the array.
  /// array   of the schema of json_column()
  /// errors  DataError for bytes that are not UTF-8
  void append(const ArrowArray& array, int64_t row, std::string& json) const;

 private:
  virtual bool is_null(const ArrowArray& array, int64_t place) const;
  // place  row + array.offset
  virtual void append_value(const ArrowArray& array, int64_t place, std::string& json) const = 0;
};

/// Null for a type without a form in JSON: dates, times, decimals, maps, unions.
std::unique_ptr<const JsonColumn> json_column(const ArrowSchema& schema);

/// Appends a text in quotes.
void append_json_text(std::string_view text, std::string& json);

}  // namespace portatune::python
