#include "portune/kernels/cpu/attention.h"

#include <cmath>
#include <limits>

#include "portune/kernels/cpu/attention_blocks.h"
#include "portune/kernels/cpu/simd_math.h"

namespace portune::kernels {
namespace {

// A float's bits as an integer that compares as the float does, and back.
PORTUNE_INLINE int32_t ordered_bits(int32_t bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); }

// scores = scale scores + bias; returns the largest. Compared as integers, because the compiler vectorises a maximum of
// floats only if it may assume that none is a NaN.
PORTUNE_INLINE float scale_and_find_largest(const BlockContext& row, float* __restrict scores) {
  int32_t largest = std::numeric_limits<int32_t>::min();
  for (int64_t j = 0; j < row.kv; ++j) {
    scores[j] = row.scale * scores[j] + row.bias[j];
    largest = std::max(largest, ordered_bits(std::bit_cast<int32_t>(scores[j])));
  }
  return std::bit_cast<float>(ordered_bits(largest));
}

// The softmax of each row of scores but for its divisor, which is returned in `sums`: dividing after the product with v
// is cheaper.
template <bool drops, class T>
PORTUNE_SIMD void softmax_rows(int64_t rows, const BlockContext context, float* __restrict scores,
                               T* __restrict weights, float* __restrict sums, float* __restrict lse) {
  for (int64_t i = 0; i < rows; ++i, scores += context.kv, weights += context.kv) {
    const float largest = scale_and_find_largest(context, scores);
    const float shift = largest == -std::numeric_limits<float>::infinity() ? 0.0F : largest;  // all hidden: all 0
    float sum = 0;
    for (int64_t j = 0; j < context.kv; ++j) {
      const float e = exp_nonpositive(scores[j] - shift);
      const uint32_t index = context.first_index + static_cast<uint32_t>(i * context.kv + j);
      sum += e;
      weights[j] = from_float<T>(drops ? e * dropout_factor(context.mask, index) : e);
    }
    sums[i] = sum == 0 ? 1.0F : sum;
    lse[i] = shift + std::log(sums[i]);
  }
}

template <class T>
PORTUNE_SIMD void divide_rows(int64_t rows, int64_t size, const float* __restrict x, const float* __restrict divisors,
                              int64_t stride, T* __restrict out) {
  for (int64_t i = 0; i < rows; ++i) {
    const float factor = 1.0F / divisors[i];
    for (int64_t j = 0; j < size; ++j) out[i * stride + j] = from_float<T>(x[i * size + j] * factor);
  }
}

template <class T>
struct Scratch {
  std::vector<float> scores, sums, mixed;
  std::vector<T> weights;
};

template <class T>
void attend(const AttentionShape& shape, const AttentionOptions& options, const AttentionInputs<T>& in,
            const QueryBlock& block, T* out, float* lse) {
  thread_local Scratch<T> scratch;
  float* scores = at_least(scratch.scores, block.rows * shape.kv);
  float* sums = at_least(scratch.sums, block.rows);
  float* mixed = at_least(scratch.mixed, block.rows * shape.head_size);
  T* weights = at_least(scratch.weights, block.rows * shape.kv);
  constexpr DType kType = kDTypeOf<T>;

  multiply(scores_of(kType, shape, block.rows), in.q + block.query_offset(shape), in.k + block.kv_offset(shape),
           nullptr, scores);

  const BlockContext context = context_of(shape, options, in.bias, block);
  const auto softmax = options.dropout ? softmax_rows<true, T> : softmax_rows<false, T>;
  softmax(block.rows, context, scores, weights, sums, lse + block.row_offset(shape));

  const Gemm weighted_sum{.m = block.rows,
                          .n = shape.head_size,
                          .k = shape.kv,
                          .a = {kType, shape.kv, 1},
                          .b = head_rows(kType, shape),
                          .c = {DType::kFloat32, shape.head_size, 1}};
  multiply(weighted_sum, weights, in.v + block.kv_offset(shape), nullptr, mixed);
  divide_rows(block.rows, shape.head_size, mixed, sums, shape.hidden(), out + block.query_offset(shape));
}

}  // namespace

template <class T>
void attention(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
               const AttentionInputs<T>& in, T* out, float* lse) {
  const int64_t queries = queries_per_block(shape), blocks = (shape.query + queries - 1) / queries;
  parallel_for(workers, shape.batch * shape.heads * blocks, [&](int64_t piece) {
    const int64_t head = piece / blocks, first = piece % blocks * queries;
    attend(shape, options, in,
           {.example = head / shape.heads,
            .head = head % shape.heads,
            .first_query = first,
            .rows = std::min(queries, shape.query - first)},
           out, lse);
  });
}

template void attention(const Workers&, const AttentionShape&, const AttentionOptions&, const AttentionInputs<float>&,
                        float*, float*);
template void attention(const Workers&, const AttentionShape&, const AttentionOptions&,
                        const AttentionInputs<Bfloat16>&, Bfloat16*, float*);

}  // namespace portune::kernels
