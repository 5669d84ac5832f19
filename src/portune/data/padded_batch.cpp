#include <algorithm>

#include "portune/data/batching.h"
#include "portune/data/stack.h"
#include "portune/error.h"

namespace portune::data {
namespace {

class PaddedCollate {
 public:
  explicit PaddedCollate(PaddedBatchOptions options) : options_(std::move(options)) {
    std::sort(options_.lengths.begin(), options_.lengths.end());
  }

  Example operator()(const std::vector<Example>& rows, int64_t size) const {
    const int64_t length = choose_length(rows);
    return stack(rows, size, [&](std::string_view column, const Tensor& first) {
      if (!is_padded(column, first)) return RowLayout{.shape = first.shape()};
      return RowLayout{.shape = {length}, .padded = true, .pad_value = pad_value(column)};
    });
  }

 private:
  bool is_padded(std::string_view column, const Tensor& value) const {
    if (options_.columns.empty()) return value.shape().rank() == 1;
    return std::find(options_.columns.begin(), options_.columns.end(), column) != options_.columns.end();
  }

  double pad_value(std::string_view column) const {
    const auto found = options_.pad_values.find(std::string(column));
    return found == options_.pad_values.end() ? 0.0 : found->second;
  }

  // The smallest length that holds the padded columns of all rows.
  int64_t choose_length(const std::vector<Example>& rows) const {
    int64_t longest = 0;
    for (const Example& row : rows) longest = std::max(longest, longest_column(row));
    return *std::lower_bound(options_.lengths.begin(), options_.lengths.end(), longest);
  }

  int64_t longest_column(const Example& row) const {
    int64_t longest = 0;
    for (const std::string& name : options_.columns) row.tensor(name);  // must be there
    for (const Example::Entry& entry : row.columns()) {
      const Tensor* value = std::get_if<Tensor>(&entry.value);
      if (value == nullptr || !is_padded(entry.name, *value)) continue;
      require_fitting(row, entry.name, value->shape());
      longest = std::max(longest, value->shape()[0]);
    }
    return longest;
  }

  void require_fitting(const Example& row, const std::string& column, const Shape& shape) const {
    const int64_t largest = options_.lengths.back();
    if (shape.rank() == 1 && shape[0] <= largest) return;
    throw DataError({.where = to_string(row.origin()),
                     .given = "an array " + to_string(shape) + " in column '" + column + "'",
                     .expected = "one dimension of at most " + std::to_string(largest),
                     .fix = shape.rank() == 1 ? "truncate the examples, or allow a larger length" : ""});
  }

  PaddedBatchOptions options_;
};

}  // namespace

Dataset Dataset::padded_batch(int64_t size, PaddedBatchOptions options) const {
  require_at_least("padded_batch", "size", size, 1);
  if (options.lengths.empty()) {
    throw UsageError({.where = "padded_batch",
                      .given = "no lengths",
                      .expected = "the lengths that a batch may have, for instance {32, 64, 128}"});
  }
  for (const int64_t length : options.lengths) require_at_least("padded_batch", "length", length, 1);
  const BatchOptions batching{
      .size = size, .drop_remainder = options.drop_remainder, .fill_remainder = options.fill_remainder};
  return gather_batches(stage_, batching, PaddedCollate(std::move(options)));
}

}  // namespace portune::data
