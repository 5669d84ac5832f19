#include "portatune/data/batch/padded_columns.h"

#include <algorithm>

#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

bool has(const std::vector<std::string>& columns, std::string_view column) {
  return std::ranges::find(columns, column) != columns.end();
}

void require_fitting(const Example& example, std::string_view column, const Shape& shape, int64_t largest) {
  if (shape.rank() > 0 && shape.back() <= largest) return;
  throw DataError({.where = to_string(example.origin()),
                   .given = "an array " + to_string(shape) + " in column '" + std::string(column) + "'",
                   .expected = "at most " + std::to_string(largest) + " along the last axis",
                   .fix = shape.rank() > 0 ? "truncate the examples, or allow a larger length" : ""});
}

}  // namespace

double pad_value(const std::map<std::string, double>& pad_values, std::string_view column) {
  const auto found = pad_values.find(std::string(column));
  return found == pad_values.end() ? 0.0 : found->second;
}

PaddedColumns::PaddedColumns(std::string_view verb, PaddedBatchOptions options) : options_(std::move(options)) {
  if (options_.lengths.empty()) {
    throw UsageError({.where = std::string(verb),
                      .given = "no lengths",
                      .expected = "the possible lengths of a batch, such as {32, 64, 128}"});
  }
  if (!options_.target_columns.empty() && options_.target_lengths.size() != options_.lengths.size()) {
    throw UsageError({.where = std::string(verb),
                      .given = std::to_string(options_.target_lengths.size()) + " lengths of targets",
                      .expected = "one for each of " + std::to_string(options_.lengths.size()) + " lengths"});
  }
  for (std::vector<int64_t>* lengths : {&options_.lengths, &options_.target_lengths}) {
    for (const int64_t length : *lengths) require_at_least(verb, "length", length, 1);
    std::ranges::sort(*lengths);
  }
}

bool PaddedColumns::is_target(std::string_view column) const { return has(options_.target_columns, column); }

int64_t PaddedColumns::length(std::string_view column, size_t bucket) const {
  return is_target(column) ? options_.target_lengths[bucket] : options_.lengths[bucket];
}

std::vector<int64_t> PaddedColumns::lengths() const {
  std::vector<int64_t> all = options_.lengths;
  all.insert(all.end(), options_.target_lengths.begin(), options_.target_lengths.end());
  return all;
}

bool PaddedColumns::is_padded(std::string_view column, const Tensor& value) const {
  if (is_target(column)) return true;
  return options_.columns.empty() ? value.shape().rank() == 1 : has(options_.columns, column);
}

double PaddedColumns::pad_value(std::string_view column) const { return data::pad_value(options_.pad_values, column); }

size_t PaddedColumns::bucket_of(const Example& example) const {
  for (const std::vector<std::string>* columns : {&options_.columns, &options_.target_columns}) {
    for (const std::string& name : *columns) example.tensor(name);  // throws if it is missing
  }
  size_t bucket = 0;
  for (const Example::Entry& entry : example.columns()) {
    const Tensor* value = std::get_if<Tensor>(&entry.value);
    if (value == nullptr || !is_padded(entry.name, *value)) continue;
    require_fitting(example, entry.name, value->shape(), length(entry.name, buckets() - 1));
    while (length(entry.name, bucket) < value->shape().back()) ++bucket;
  }
  return bucket;
}

}  // namespace portatune::data
