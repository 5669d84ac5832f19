// Blocks of one head's queries, the unit of work of attention and its gradient.
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

/// The keys that a query may see by the band; perhaps empty.
inline KeyRange visible_keys(const AttentionShape& shape, const Band& band, int64_t query) {
  const int64_t position = query + shape.kv - shape.query;
  const int64_t begin = std::clamp<int64_t>(position - band.before, 0, shape.kv);
  return {begin, std::clamp<int64_t>(position + band.after + 1, begin, shape.kv)};
}

/// The keys that the queries of one call see. Both ends of the range grow with the query.
class Visibility {
 public:
  /// bias, segments  see AttentionInputs
  Visibility(const AttentionShape& shape, const Band& band, const AttentionBias& bias, const int32_t* segments);

  /// The keys that a query sees; perhaps empty.
  KeyRange keys(int64_t example, int64_t query) const {
    const KeyRange range = visible_keys(shape_, band_, query);
    if (text_of_.empty()) return range;
    const KeyRange& text = text_of_[static_cast<size_t>(example * shape_.query + query)];
    const int64_t begin = std::max(range.begin, text.begin);
    return {begin, std::max(begin, std::min(range.end, text.end))};
  }
  /// The bias that is added to the scores of a query.
  const float* bias(int64_t example, int64_t head, int64_t query) const {
    return text_of_.empty() ? bias_.row(example, head, query) : zeros_.data();
  }

  /// Number of queries per block. The block's scores and gradients of scores, in two types, fit a core's second-level
  /// cache. If keys are hidden, smaller blocks skip more of them; still smaller ones cost more than they save.
  int64_t queries_per_block() const {
    const bool cuts = band_.before < shape_.kv || band_.after < shape_.kv || !text_of_.empty();
    return cuts || shape_.kv > 256 ? 64 : 128;
  }

 private:
  AttentionShape shape_;
  Band band_;
  AttentionBias bias_;
  std::vector<KeyRange> text_of_;  // [batch, query]; empty without segments
  std::vector<float> zeros_;       // [kv], the bias in the case of segments
};

/// A block of `rows` consecutive queries from `first_query` of one head of one example.
struct QueryBlock {
  int64_t example, head, first_query, rows;

  /// Index of this head's first query row in an array [batch, query, hidden].
  int64_t query_offset(const AttentionShape& shape) const {
    return (example * shape.query + first_query) * shape.hidden() + head * shape.head_size;
  }
  /// Index of key `key` of this head in an array [batch, kv, kv_hidden].
  int64_t kv_offset(const AttentionShape& shape, int64_t key) const {
    return (example * shape.kv + key) * shape.kv_hidden() + head / shape.group() * shape.head_size;
  }
  /// Index of the first query in an array [batch, heads, query].
  int64_t row_offset(const AttentionShape& shape) const {
    return (example * shape.heads + head) * shape.query + first_query;
  }
  /// Index of the first query among the rows of weights that dropout numbers.
  int64_t dropout_row(const AttentionShape& shape) const {
    return (example * shape.dropout_heads + head) * shape.query + first_query;
  }
};

/// The keys that a block works on: the keys that any of its queries sees, and few more. Their number takes few values,
/// because each value needs another compiled matrix product. It is at least one, even if no key is seen.
inline KeyRange keys_of(const AttentionShape& shape, const Visibility& visibility, const QueryBlock& block) {
  const int64_t grain = std::max<int64_t>(32, shape.kv / 16);
  const int64_t first = visibility.keys(block.example, block.first_query).begin;
  const int64_t last = visibility.keys(block.example, block.first_query + block.rows - 1).end;
  const int64_t begin = std::min(first, shape.kv - 1) / grain * grain;
  const int64_t end = std::max(begin + 1, last);
  return {begin, std::min((end + grain - 1) / grain * grain, shape.kv)};
}

/// Data that the rows of a block share.
struct BlockContext {
  const AttentionShape& shape;
  const Visibility& visibility;
  KeyRange keys;  ///< column 0 of the block's scores is key `keys.begin`
  int64_t example, head, first_query;
  float scale, softcap;
  uint32_t first_index;  ///< dropout index of the block's first weight
  DropoutMask mask;

  /// The columns of row i that its query sees.
  KeyRange visible(int64_t i) const {
    const KeyRange range = visibility.keys(example, first_query + i);
    const auto column = [&](int64_t key) { return std::clamp<int64_t>(key - keys.begin, 0, keys.size()); };
    return {column(range.begin), column(range.end)};
  }
  /// The bias of row i, [keys.size()].
  const float* bias(int64_t i) const { return visibility.bias(example, head, first_query + i) + keys.begin; }
  /// Dropout index of the weight in row i, column 0.
  uint32_t index_of_row(int64_t i) const { return first_index + static_cast<uint32_t>(i * shape.kv); }
};

inline BlockContext context_of(const AttentionShape& shape, const AttentionOptions& options,
                               const Visibility& visibility, const QueryBlock& block) {
  const KeyRange keys = keys_of(shape, visibility, block);
  return {.shape = shape,
          .visibility = visibility,
          .keys = keys,
          .example = block.example,
          .head = block.head,
          .first_query = block.first_query,
          .scale = options.scale,
          .softcap = options.softcap,
          .first_index = static_cast<uint32_t>(block.dropout_row(shape) * shape.kv + keys.begin),
          .mask = options.dropout.value_or(DropoutMask())};
}

/// Layouts of a head: its rows among the queries, and its rows and their transpose among the keys or values.
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
