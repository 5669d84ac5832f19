#include "portatune/data/pack/packed_collate.h"

#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/data/batch/padded_columns.h"
#include "portatune/data/batch/stack.h"
#include "portatune/data/batch/text_lengths.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// Text `number` in a column, with the padding after it.
std::span<const int32_t> text_in(const Tensor& column, int64_t number) {
  const int64_t width = column.shape()[column.shape().rank() - 1];
  return column.as<int32_t>().subspan(static_cast<size_t>(number * width), static_cast<size_t>(width));
}

Tensor filled(Shape shape, double value) {
  Tensor result({DType::kInt32, std::move(shape)});
  std::ranges::fill(result.as<int32_t>(), static_cast<int32_t>(value));
  return result;
}

// The token columns of a batch of packed texts.
class PackedColumns {
 public:
  PackedColumns(int64_t rows, const PackOptions& options, int64_t texts_per_example)
      : options_(options), shape_{rows, options.shapes.length}, texts_(options.shapes.examples * texts_per_example) {
    for (const std::string& column : options.columns)
      columns_.push_back(filled(shape_, pad_value(options.pad_values, column)));
  }

  // Adds the texts of the batch's next example.
  void add(const Example& example, const TextOffsets& offsets) {
    const TextLengths lengths = text_lengths(example.tensor(kAttentionMask));
    for (size_t i = 0; i < lengths.size(); ++i) add(example, static_cast<int64_t>(i), lengths[i], offsets[i]);
  }

  void move_to(Example& batch) {
    for (size_t i = 0; i < columns_.size(); ++i) batch.set(options_.columns[i], std::move(columns_[i]));
    batch.set(kAttentionMask, std::move(segments_)).set(kPositionIds, std::move(positions_));
    batch.set(kTokenPlaces, std::move(places_));
  }

 private:
  void add(const Example& example, int64_t number_in_example, int64_t length, int64_t offset) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto text =
          text_in(example.tensor(options_.columns[i]), number_in_example).first(static_cast<size_t>(length));
      std::ranges::copy(text, columns_[i].as<int32_t>().begin() + offset);
    }
    for (int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<size_t>(offset + i);
      segments_.as<int32_t>()[at] = static_cast<int32_t>(next_ + 1);
      positions_.as<int32_t>()[at] = static_cast<int32_t>(i);
      places_.as<int32_t>()[static_cast<size_t>(next_ * options_.shapes.length + i)] = static_cast<int32_t>(at);
    }
    ++next_;
  }

  const PackOptions& options_;
  const Shape shape_;
  const int64_t texts_;
  std::vector<Tensor> columns_;
  Tensor segments_ = filled(shape_, 0), positions_ = filled(shape_, 0),
         places_ = filled({texts_, options_.shapes.length}, -1);
  int64_t next_ = 0;
};

void require_type(const Example& example, std::string_view column, bool fits, const std::string& expected) {
  if (fits) return;
  throw DataError({.where = to_string(example.origin()),
                   .given = to_string(example.tensor(column).type()) + " in column '" + std::string(column) + "'",
                   .expected = expected});
}

void require_texts(const Example& example, const PackOptions& options) {
  const TensorType& mask = example.tensor(kAttentionMask).type();
  const bool is_mask =
      mask.dtype == DType::kInt32 && (mask.shape.rank() == 1 || (mask.shape.rank() == 2 && mask.shape[0] > 0));
  require_type(example, kAttentionMask, is_mask, "int32 [positions], or [texts, positions] of at least one text");
  for (const std::string& column : options.columns) {
    require_type(example, column, example.tensor(column).type() == mask, to_string(mask) + ", as its mask");
  }
}

}  // namespace

TextLengths fitting_lengths(const Example& example, const PackOptions& options) {
  require_texts(example, options);
  const TextLengths lengths = text_lengths(example.tensor(kAttentionMask));
  const int64_t texts = std::ssize(lengths);
  const int64_t longest = std::ranges::max(lengths), rows = options.shapes.rows.back();
  if (longest <= options.shapes.length && RowPacker(rows, options.shapes.length).put(lengths)) return lengths;
  throw DataError(
      {.where = to_string(example.origin()),
       .given = counted(texts, "text") + " of up to " + std::to_string(longest) + " tokens",
       .expected = "texts that fit in " + std::to_string(rows) + " rows of " + std::to_string(options.shapes.length),
       .fix = "truncate the texts, or use longer rows"});
}

Example packed_batch(std::vector<Example> examples, const PackedRows& packed, const PackOptions& options) {
  PackedColumns columns(packed.rows, options, std::ssize(packed.offsets.front()));
  for (size_t i = 0; i < examples.size(); ++i) {
    columns.add(examples[i], packed.offsets[i]);
    for (const std::string& column : options.columns) examples[i].erase(column);
    examples[i].erase(kAttentionMask);
  }
  Example batch = stack("pack", examples, options.shapes.examples, [&](std::string_view column, const Tensor& first) {
    if (first.shape().rank() != 1 || !options.pad_values.contains(std::string(column)))
      return RowLayout{.shape = first.shape()};
    return RowLayout{.shape = {options.shapes.length},
                     .padded = true,
                     .pad_value = pad_value(options.pad_values, std::string(column))};
  });
  columns.move_to(batch);
  return batch;
}

}  // namespace portatune::data
