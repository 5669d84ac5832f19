// Attention of one query to a cache of keys: a step of decoding.
#pragma once

#include "portatune/kernels/cpu/attention/attention.h"

namespace portatune::kernels {

/// attention() for shape.query = 1 without dropout. It does not read hidden keys and values at both ends: in a cache
/// these are padding and free positions.
template <class T>
void attention_of_one_query(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                            const AttentionInputs<T>& in, T* out, float* lse);

/// The same, where position j of example i has its key and value in the row rows[i * kv + j] of k and v.
template <class T>
void cached_attention(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                      const AttentionInputs<T>& in, const int32_t* rows, T* out);

}  // namespace portatune::kernels
