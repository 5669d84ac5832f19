// Which columns are padded, and how long that makes an example.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

class PaddedColumns {
 public:
  /// errors  UsageError, in the name of `verb`, for no lengths, or one below 1
  PaddedColumns(std::string_view verb, PaddedBatchOptions options);

  /// Ascending.
  const std::vector<int64_t>& lengths() const { return options_.lengths; }
  bool is_padded(std::string_view column, const Tensor& value) const;
  double pad_value(std::string_view column) const;
  /// The last axis of the longest padded column.
  /// errors  DataError that names the example if it lacks a column or is longer than all lengths
  int64_t length_of(const Example& example) const;
  /// Which of lengths() is the smallest that holds `length`.
  size_t bucket_of(int64_t length) const;

 private:
  void require_fitting(const Example& example, std::string_view column, const Shape& shape) const;

  PaddedBatchOptions options_;
};

}  // namespace portatune::data
