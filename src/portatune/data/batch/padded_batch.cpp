#include <algorithm>

#include "portatune/data/batch/batching.h"
#include "portatune/data/batch/padded_columns.h"
#include "portatune/data/batch/stack.h"

namespace portatune::data {
namespace {

class PaddedCollate {
 public:
  /// sets_types  whether all batches have one size, and hence few types
  PaddedCollate(std::string_view verb, PaddedColumns columns, bool sets_types)
      : verb_(verb), columns_(std::move(columns)), sets_types_(sets_types) {}

  Example operator()(const std::vector<Example>& rows, int64_t size) const {
    const int64_t length = choose_length(rows);
    std::vector<std::string> padded;
    Example batch = stack(verb_, rows, size, [&](std::string_view column, const Tensor& first) {
      if (!columns_.is_padded(column, first)) return RowLayout{.shape = first.shape()};
      padded.emplace_back(column);
      Shape shape = first.shape();
      shape[shape.rank() - 1] = length;
      return RowLayout{.shape = shape, .padded = true, .pad_value = columns_.pad_value(column)};
    });
    if (sets_types_) {
      const auto is_padded = [&](const std::string& name) { return std::ranges::find(padded, name) != padded.end(); };
      batch.set_batch_types(types_with_sizes(batch, columns_.lengths(), BatchAxis::kLast, is_padded));
    }
    return batch;
  }

 private:
  // The smallest length that holds the padded columns of all rows.
  int64_t choose_length(const std::vector<Example>& rows) const {
    int64_t longest = 0;
    for (const Example& row : rows) longest = std::max(longest, columns_.length_of(row));
    return columns_.lengths()[columns_.bucket_of(longest)];
  }

  std::string verb_;
  PaddedColumns columns_;
  bool sets_types_;
};

}  // namespace

Dataset padded_batches(std::string_view verb, StagePtr input, int64_t size, PaddedBatchOptions options) {
  require_at_least(verb, "size", size, 1);
  const BatchOptions batching{
      .size = size, .drop_remainder = options.drop_remainder, .fill_remainder = options.fill_remainder};
  const bool one_size = options.drop_remainder || options.fill_remainder;
  return gather_batches(std::move(input), batching, PaddedCollate(verb, {verb, std::move(options)}, one_size));
}

Dataset Dataset::padded_batch(int64_t size, PaddedBatchOptions options) const {
  return padded_batches("padded_batch", stage_, size, std::move(options));
}

}  // namespace portatune::data
