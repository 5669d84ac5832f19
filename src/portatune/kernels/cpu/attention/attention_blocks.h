// Blocks of one head's queries: what attention and its gradient work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "portatune/kernels/cpu/attention/attention.h"
#include "portatune/kernels/cpu/matmul/gemm.h"

namespace portatune::kernels {

/// Consecutive keys.
struct KeyRange {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// The keys that the band lets a query see; empty if these are none.
inline KeyRange visible_keys(const AttentionShape& shape, const Band& band, int64_t query) {
  const int64_t place = query + shape.kv - shape.query;
  const int64_t begin = std::clamp<int64_t>(place - band.before, 0, shape.kv);
  return {begin, std::clamp<int64_t>(place + band.after + 1, begin, shape.kv)};
}

/// What the queries of one call see. Both ends of what a query sees grow with the query.
class Visibility {
 public:
  /// bias, segments  as in AttentionInputs
  Visibility(const AttentionShape& shape, const Band& band, const float* bias, const int32_t* segments);

  /// Empty if the query sees none.
  KeyRange keys(int64_t example, int64_t query) const {
    const KeyRange range = visible_keys(shape_, band_, query);
    if (text_of_.empty()) return range;
    const KeyRange& text = text_of_[static_cast<size_t>(example * shape_.query + query)];
    const int64_t begin = std::max(range.begin, text.begin);
    return {begin, std::max(begin, std::min(range.end, text.end))};
  }
  /// What is added to the scores of an example's keys.
  const float* bias(int64_t example) const { return text_of_.empty() ? bias_ + example * shape_.kv : zeros_.data(); }

  /// Queries a block. Its scores and gradients of scores, in two types, fit a core's second-level cache. Where keys are
  /// cut off, small blocks leave out more of them; still smaller ones cost more than they save.
  int64_t queries_per_block() const {
    const bool cuts = band_.before < shape_.kv || band_.after < shape_.kv || !text_of_.empty();
    return cuts || shape_.kv > 256 ? 64 : 128;
  }

 private:
  AttentionShape shape_;
  Band band_;
  const float* bias_;
  std::vector<KeyRange> text_of_;  // [batch, query]; empty without segments
  std::vector<float> zeros_;       // [kv], the bias where there are segments
};

/// `rows` consecutive queries, from `first_query` on, of one head of one example.
struct QueryBlock {
  int64_t example, head, first_query, rows;

  /// Where the queries' rows of this head begin in an array [batch, query, hidden].
  int64_t query_offset(const AttentionShape& shape) const {
    return (example * shape.query + first_query) * shape.hidden() + head * shape.head_size;
  }
  /// Where key `key` of this head begins in an array [batch, kv, kv_hidden].
  int64_t kv_offset(const AttentionShape& shape, int64_t key) const {
    return (example * shape.kv + key) * shape.kv_hidden() + head / shape.group() * shape.head_size;
  }
  /// Where the queries begin in an array [batch, heads, query].
  int64_t row_offset(const AttentionShape& shape) const {
    return (example * shape.heads + head) * shape.query + first_query;
  }
  /// And in one of the rows of weights that dropout numbers.
  int64_t dropout_row(const AttentionShape& shape) const {
    return (example * shape.dropout_heads + head) * shape.query + first_query;
  }
};

/// The keys that a block works on: those that any of its queries sees, and few more. Their number takes few values, as
/// each means another matrix product to be compiled. At least one key, even if none is seen.
inline KeyRange keys_of(const AttentionShape& shape, const Visibility& visibility, const QueryBlock& block) {
  const int64_t grain = std::max<int64_t>(32, shape.kv / 16);
  const int64_t first = visibility.keys(block.example, block.first_query).begin;
  const int64_t last = visibility.keys(block.example, block.first_query + block.rows - 1).end;
  const int64_t begin = std::min(first, shape.kv - 1) / grain * grain;
  const int64_t end = std::max(begin + 1, last);
  return {begin, std::min((end + grain - 1) / grain * grain, shape.kv)};
}

/// What the rows of a block share.
struct BlockContext {
  const AttentionShape& shape;
  const Visibility& visibility;
  KeyRange keys;  ///< column 0 of the block's scores is key `keys.begin`
  int64_t example, first_query;
  float scale;
  const float* bias;     ///< [keys.size()]
  uint32_t first_index;  ///< decides on the dropout of the block's first weight
  DropoutMask mask;

  /// The columns of row i whose keys its query sees.
  KeyRange visible(int64_t i) const {
    const KeyRange range = visibility.keys(example, first_query + i);
    const auto column = [&](int64_t key) { return std::clamp<int64_t>(key - keys.begin, 0, keys.size()); };
    return {column(range.begin), column(range.end)};
  }
  /// Decides on the dropout of the weight in row i, column 0.
  uint32_t index_of_row(int64_t i) const { return first_index + static_cast<uint32_t>(i * shape.kv); }
};

inline BlockContext context_of(const AttentionShape& shape, const AttentionOptions& options,
                               const Visibility& visibility, const QueryBlock& block) {
  const KeyRange keys = keys_of(shape, visibility, block);
  return {.shape = shape,
          .visibility = visibility,
          .keys = keys,
          .example = block.example,
          .first_query = block.first_query,
          .scale = options.scale,
          .bias = visibility.bias(block.example) + keys.begin,
          .first_index = static_cast<uint32_t>(block.dropout_row(shape) * shape.kv + keys.begin),
          .mask = options.dropout.value_or(DropoutMask())};
}

/// A head's rows among the queries, and its rows and their transpose among the keys or values.
inline MatrixLayout query_rows(DType type, const AttentionShape& shape) { return {type, shape.hidden(), 1}; }
inline MatrixLayout key_rows(DType type, const AttentionShape& shape) { return {type, shape.kv_hidden(), 1}; }
inline MatrixLayout key_columns(DType type, const AttentionShape& shape) { return {type, 1, shape.kv_hidden()}; }

/// [rows, keys] = a b^T, where a has the block's queries and b its keys or values.
inline Gemm scores_of(DType type, const AttentionShape& shape, int64_t rows, int64_t keys) {
  return {.m = rows,
          .n = keys,
          .k = shape.head_size,
          .a = query_rows(type, shape),
          .b = key_columns(type, shape),
          .c = {DType::kFloat32, keys, 1}};
}

/// An array that is reused from block to block and only grows.
template <class T>
T* at_least(std::vector<T>& array, int64_t size) {
  if (array.size() < static_cast<size_t>(size)) array.resize(static_cast<size_t>(size));
  return array.data();
}

}  // namespace portatune::kernels
