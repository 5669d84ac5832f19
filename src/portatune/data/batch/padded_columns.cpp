#include "portatune/data/batch/padded_columns.h"

#include <algorithm>

#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {

PaddedColumns::PaddedColumns(std::string_view verb, PaddedBatchOptions options) : options_(std::move(options)) {
  if (options_.lengths.empty()) {
    throw UsageError({.where = std::string(verb),
                      .given = "no lengths",
                      .expected = "the possible lengths of a batch, such as {32, 64, 128}"});
  }
  for (const int64_t length : options_.lengths) require_at_least(verb, "length", length, 1);
  std::ranges::sort(options_.lengths);
}

bool PaddedColumns::is_padded(std::string_view column, const Tensor& value) const {
  if (options_.columns.empty()) return value.shape().rank() == 1;
  return std::ranges::find(options_.columns, column) != options_.columns.end();
}

double PaddedColumns::pad_value(std::string_view column) const {
  const auto found = options_.pad_values.find(std::string(column));
  return found == options_.pad_values.end() ? 0.0 : found->second;
}

int64_t PaddedColumns::length_of(const Example& example) const {
  int64_t longest = 0;
  for (const std::string& name : options_.columns) example.tensor(name);  // throws if it is missing
  for (const Example::Entry& entry : example.columns()) {
    const Tensor* value = std::get_if<Tensor>(&entry.value);
    if (value == nullptr || !is_padded(entry.name, *value)) continue;
    require_fitting(example, entry.name, value->shape());
    longest = std::max(longest, value->shape().back());
  }
  return longest;
}

size_t PaddedColumns::bucket_of(int64_t length) const {
  return static_cast<size_t>(std::ranges::lower_bound(options_.lengths, length) - options_.lengths.begin());
}

void PaddedColumns::require_fitting(const Example& example, std::string_view column, const Shape& shape) const {
  const int64_t largest = options_.lengths.back();
  if (shape.rank() > 0 && shape.back() <= largest) return;
  throw DataError({.where = to_string(example.origin()),
                   .given = "an array " + to_string(shape) + " in column '" + std::string(column) + "'",
                   .expected = "at most " + std::to_string(largest) + " along the last axis",
                   .fix = shape.rank() > 0 ? "truncate the examples, or allow a larger length" : ""});
}

}  // namespace portatune::data
