// The gradient of an embedding table.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

struct EmbeddingGradShape {
  int64_t tokens, width, vocab;
};

/// Clears dtable [vocab, width] and adds row dy[token] to row ids[token] for every token. Ids outside [0, vocab) are
/// ignored. Rows are added in the order of the tokens with any number of threads. T is float or Bfloat16.
template <class T>
void embedding_grad(const Workers& workers, const EmbeddingGradShape& shape, const T* dy, const int32_t* ids,
                    float* dtable);

}  // namespace portatune::kernels
