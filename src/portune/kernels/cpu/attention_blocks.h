// Blocks of one head's queries: what attention and its gradient work on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "portune/kernels/cpu/attention.h"
#include "portune/kernels/cpu/gemm.h"

namespace portune::kernels {

/// Queries a block. Its scores and gradients of scores, in two types, fit a core's second-level cache.
inline int64_t queries_per_block(const AttentionShape& shape) { return shape.kv <= 256 ? 128 : 64; }

/// `rows` consecutive queries, from `first_query` on, of one head of one example.
struct QueryBlock {
  int64_t example, head, first_query, rows;

  /// Where the queries' rows of this head begin in an array [batch, query, hidden].
  int64_t query_offset(const AttentionShape& shape) const {
    return (example * shape.query + first_query) * shape.hidden() + head * shape.head_size;
  }
  /// Where this head begins in an array [batch, kv, hidden].
  int64_t kv_offset(const AttentionShape& shape) const {
    return example * shape.kv * shape.hidden() + head * shape.head_size;
  }
  /// Where the queries begin in an array [batch, heads, query].
  int64_t row_offset(const AttentionShape& shape) const {
    return (example * shape.heads + head) * shape.query + first_query;
  }
};

/// What the rows of a block share.
struct BlockContext {
  int64_t kv;
  float scale;
  const float* bias;     ///< [kv]
  uint32_t first_index;  ///< decides on the dropout of the block's first weight
  DropoutMask mask;
};

inline BlockContext context_of(const AttentionShape& shape, const AttentionOptions& options, const float* bias,
                               const QueryBlock& block) {
  return {.kv = shape.kv,
          .scale = options.scale,
          .bias = bias + block.example * shape.kv,
          .first_index = static_cast<uint32_t>(block.row_offset(shape) * shape.kv),
          .mask = options.dropout.value_or(DropoutMask())};
}

/// A head's rows in an array of the model, and their transpose.
inline MatrixLayout head_rows(DType type, const AttentionShape& shape) { return {type, shape.hidden(), 1}; }
inline MatrixLayout head_columns(DType type, const AttentionShape& shape) { return {type, 1, shape.hidden()}; }

/// [rows, kv] = a b^T, where a has the block's queries and b all keys or values of the head.
inline Gemm scores_of(DType type, const AttentionShape& shape, int64_t rows) {
  return {.m = rows,
          .n = shape.kv,
          .k = shape.head_size,
          .a = head_rows(type, shape),
          .b = head_columns(type, shape),
          .c = {DType::kFloat32, shape.kv, 1}};
}

/// An array that is reused from block to block and only grows.
template <class T>
T* at_least(std::vector<T>& array, int64_t size) {
  if (array.size() < static_cast<size_t>(size)) array.resize(static_cast<size_t>(size));
  return array.data();
}

}  // namespace portune::kernels
