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
    const size_t bucket = bucket_of(rows);
    std::vector<std::string> padded;
    Example batch = stack(verb_, rows, size, [&](std::string_view column, const Tensor& first) {
      if (!columns_.is_padded(column, first)) return RowLayout{.shape = first.shape()};
      padded.emplace_back(column);
      Shape shape = first.shape();
      shape[shape.rank() - 1] = columns_.length(column, bucket);
      return RowLayout{.shape = shape, .padded = true, .pad_value = columns_.pad_value(column)};
    });
    if (sets_types_) {
      const auto size_of = [&](const std::string& name, size_t i) {
        const bool is_padded = std::ranges::find(padded, name) != padded.end();
        return is_padded ? std::optional(columns_.length(name, i)) : std::nullopt;
      };
      batch.set_batch_types(types_with_sizes(batch, columns_.buckets(), BatchAxis::kLast, size_of));
    }
    return batch;
  }

 private:
  // The first bucket that holds all rows.
  size_t bucket_of(const std::vector<Example>& rows) const {
    size_t bucket = 0;
    for (const Example& row : rows) bucket = std::max(bucket, columns_.bucket_of(row));
    return bucket;
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
