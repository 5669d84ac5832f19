// Attention of one query to a cache of keys: a step of decoding.
#pragma once

#include "portatune/kernels/cpu/attention/attention.h"

namespace portatune::kernels {

/// attention() for shape.query = 1 and no dropout. Keys and values at both ends that the bias hides are not touched: in
/// a cache those are the padding and the places that are not filled yet.
template <class T>
void attention_of_one_query(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                            const AttentionInputs<T>& in, T* out, float* lse);

}  // namespace portatune::kernels
