// The columns that are padded, and the lengths to which they are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// The value that pads a column: 0 unless `pad_values` has another.
double pad_value(const std::map<std::string, double>& pad_values, std::string_view column);

class PaddedColumns {
 public:
  /// errors  UsageError, with `verb` as `where`, for no lengths, one below 1, or another number of target lengths
  PaddedColumns(std::string_view verb, PaddedBatchOptions options);

  /// Number of buckets: of the lengths, or pairs of lengths, that a batch may have, ascending.
  size_t buckets() const { return options_.lengths.size(); }
  /// The length of a padded column in the batches of a bucket.
  int64_t length(std::string_view column, size_t bucket) const;
  /// The lengths of all buckets, then those of their targets, which identify the buckets in saved states.
  std::vector<int64_t> lengths() const;
  bool is_padded(std::string_view column, const Tensor& value) const;
  double pad_value(std::string_view column) const;
  /// The first bucket that holds an example.
  /// errors  DataError that names the example if it lacks a column or no bucket holds it
  size_t bucket_of(const Example& example) const;

 private:
  bool is_target(std::string_view column) const;

  PaddedBatchOptions options_;
};

}  // namespace portatune::data
