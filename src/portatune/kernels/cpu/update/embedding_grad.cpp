#include "portatune/kernels/cpu/update/embedding_grad.h"

#include <algorithm>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

// A piece of work is a range of the table's rows: it clears them and adds the tokens with these ids. Reading all ids in
// every piece costs little as long as there are few pieces.
constexpr int64_t kMaxRows = 1024;
constexpr int64_t kPieces = 16;

template <class T>
PORTATUNE_SIMD void add_row(int64_t width, const T* dy, float* row) {
  for (int64_t j = 0; j < width; ++j) row[j] += to_float(dy[j]);
}

}  // namespace

template <class T>
void embedding_grad(const Workers& workers, const EmbeddingGradShape& shape, const T* dy, const int32_t* ids,
                    float* dtable) {
  const int64_t grain = std::clamp<int64_t>(shape.vocab / kPieces, 1, kMaxRows);
  parallel_ranges(workers, shape.vocab, grain, [&](int64_t begin, int64_t end) {
    std::fill(dtable + begin * shape.width, dtable + end * shape.width, 0.0F);
    for (int64_t token = 0; token < shape.tokens; ++token) {
      const int64_t id = ids[token];
      if (id >= begin && id < end) add_row(shape.width, dy + token * shape.width, dtable + id * shape.width);
    }
  });
}

template void embedding_grad(const Workers&, const EmbeddingGradShape&, const float*, const int32_t*, float*);
template void embedding_grad(const Workers&, const EmbeddingGradShape&, const Bfloat16*, const int32_t*, float*);

}  // namespace portatune::kernels
