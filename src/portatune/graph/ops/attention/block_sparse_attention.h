// Block-sparse attention, whose cost is linear in the length.
#pragma once

#include <cstdint>

#include "portatune/graph.h"

namespace portatune {

struct BlockSparseOptions {
  int64_t heads;
  int64_t block_size;         ///< tokens of a block; the length is a multiple of it, of at least 5 blocks
  double scale;               ///< factor of q k^T
  int64_t random_blocks = 0;  ///< number of blocks that `random` gives each block of queries
  int64_t first_again = 0;    ///< number of further times that queries of the middle blocks see the first block
};

/// Scaled dot-product attention, softmax(scale q k^T + bias) v for each head, between blocks of tokens. Queries of the
/// first and the last block see all keys. The other queries, those of the middle blocks, see the first block, their own
/// block and both neighbours, the last block, and the blocks that `random` gives them. A neighbour that is the first or
/// the last block counts once. A random block that is one of the others counts again.
/// q, k, v  [batch, length, heads * head_size], one float type
/// bias     float32 [batch, 1, 1, length], finite, by key; it gets no gradient
/// random   int32 [heads, blocks - 2, random_blocks]: for each block of queries but the first and the last one; absent
///          if random_blocks is 0
/// returns  the type and shape of q
/// source   Zaheer et al. 2020, arXiv:2007.14062
Value block_sparse_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const Value& random,
                             const BlockSparseOptions& options);

}  // namespace portatune
