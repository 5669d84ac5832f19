// Attention between blocks of tokens, as Big Bird has it. No kernel stores all scores.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/attention/attention.h"

namespace portatune::kernels {

/// Sizes of a text in blocks. Blocks of queries from 1 to blocks - 2, the middle ones, see some blocks of keys.
struct BlockShape {
  int64_t batch, heads, blocks, block_size, head_size;
  int64_t random_blocks = 0;  ///< number of random blocks that a middle block of queries sees
  int64_t first_again = 0;    ///< number of further times that it sees block 0

  int64_t hidden() const { return heads * head_size; }
  int64_t length() const { return blocks * block_size; }
  int64_t middle_blocks() const { return blocks - 2; }
};

/// q, k, v [batch, length, hidden]
template <class T>
struct BlockInputs {
  const T *q, *k, *v;
  const float* bias;      ///< [batch, length], added to the scores of a key
  const int32_t* random;  ///< [heads, blocks - 2, row_of_random]: the random blocks are the first ones of a row
  int64_t row_of_random;  ///< size of a row of `random`, at least random_blocks
};

/// out = softmax(scale q k^T + bias) v, [batch, length, hidden]. Queries of the first and the last block see all keys.
/// The others see the keys of block 0, of their own block and both neighbours, of the last block, each once, and of the
/// random blocks.
/// lse  float32 [batch, heads, length]: log of each row's sum of exponentials
template <class T>
void block_attention(const Workers& workers, const BlockShape& shape, float scale, const BlockInputs<T>& in, T* out,
                     float* lse);

/// Computes dq, dk and dv from recomputed weights.
template <class T>
void block_attention_grad(const Workers& workers, const BlockShape& shape, float scale, const BlockInputs<T>& in,
                          const AttentionResults<T>& results, T* dq, T* dk, T* dv);

}  // namespace portatune::kernels
