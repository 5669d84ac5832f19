// The columns that are padded, and the length of an example.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

class PaddedColumns {
 public:
  /// errors  UsageError, with `verb` as `where`, for no lengths, or one below 1
  PaddedColumns(std::string_view verb, PaddedBatchOptions options);

  /// Possible lengths of a batch, ascending.
  const std::vector<int64_t>& lengths() const { return options_.lengths; }
  bool is_padded(std::string_view column, const Tensor& value) const;
  double pad_value(std::string_view column) const;
  /// Size of the last axis of the longest padded column.
  /// errors  DataError that names the example if it lacks a column or is longer than all lengths
  int64_t length_of(const Example& example) const;
  /// Index of the smallest of lengths() that holds `length`.
  size_t bucket_of(int64_t length) const;

 private:
  void require_fitting(const Example& example, std::string_view column, const Shape& shape) const;

  PaddedBatchOptions options_;
};

}  // namespace portatune::data
