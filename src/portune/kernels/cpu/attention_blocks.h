// Blocks of one head's queries: what attention and its gradient work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "portune/kernels/cpu/attention.h"
#include "portune/kernels/cpu/gemm.h"

namespace portune::kernels {

/// Queries a block. Its scores and gradients of scores, in two types, fit a core's second-level cache. A band that cuts
/// off keys asks for small blocks, which leave out more of them; still smaller ones cost more than they save.
inline int64_t queries_per_block(const AttentionShape& shape, const Band& band) {
  const bool cuts = band.before < shape.kv || band.after < shape.kv;
  return cuts || shape.kv > 256 ? 64 : 128;
}

/// Consecutive keys.
struct KeyRange {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// The keys that a query sees; empty if it sees none.
inline KeyRange visible_keys(const AttentionShape& shape, const Band& band, int64_t query) {
  const int64_t place = query + shape.kv - shape.query;
  const int64_t begin = std::clamp<int64_t>(place - band.before, 0, shape.kv);
  return {begin, std::clamp<int64_t>(place + band.after + 1, begin, shape.kv)};
}

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
};

/// The keys that a block works on: those that any of its queries sees, and few more. Their number takes few values, as
/// each means another matrix product to be compiled. At least one key, even if none is seen.
inline KeyRange keys_of(const AttentionShape& shape, const Band& band, const QueryBlock& block) {
  const int64_t grain = std::max<int64_t>(32, shape.kv / 16);
  const int64_t first = visible_keys(shape, band, block.first_query).begin;
  const int64_t last = visible_keys(shape, band, block.first_query + block.rows - 1).end;
  const int64_t begin = std::min(first, shape.kv - 1) / grain * grain;
  const int64_t end = std::max(begin + 1, last);
  return {begin, std::min((end + grain - 1) / grain * grain, shape.kv)};
}

/// What the rows of a block share.
struct BlockContext {
  const AttentionShape& shape;
  Band band;
  KeyRange keys;  ///< column 0 of the block's scores is key `keys.begin`
  int64_t first_query;
  float scale;
  const float* bias;     ///< [keys.size()]
  uint32_t first_index;  ///< decides on the dropout of the block's first weight
  DropoutMask mask;

  /// The columns of row i whose keys its query sees.
  KeyRange visible(int64_t i) const {
    const KeyRange range = visible_keys(shape, band, first_query + i);
    const auto column = [&](int64_t key) { return std::clamp<int64_t>(key - keys.begin, 0, keys.size()); };
    return {column(range.begin), column(range.end)};
  }
  /// Decides on the dropout of the weight in row i, column 0.
  uint32_t index_of_row(int64_t i) const { return first_index + static_cast<uint32_t>(i * shape.kv); }
};

inline BlockContext context_of(const AttentionShape& shape, const AttentionOptions& options, const float* bias,
                               const QueryBlock& block) {
  const KeyRange keys = keys_of(shape, options.band, block);
  return {.shape = shape,
          .band = options.band,
          .keys = keys,
          .first_query = block.first_query,
          .scale = options.scale,
          .bias = bias + block.example * shape.kv + keys.begin,
          .first_index = static_cast<uint32_t>(block.row_offset(shape) * shape.kv + keys.begin),
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

}  // namespace portune::kernels
