#include "portatune/kernels/cpu/attention/attention.h"

#include <cmath>
#include <limits>

#include "portatune/kernels/cpu/attention/attention_blocks.h"
#include "portatune/kernels/cpu/attention/attention_one_query.h"
#include "portatune/kernels/cpu/elementwise/simd_math.h"

namespace portatune::kernels {
namespace {

// A float's bits as an integer that compares as the float does, and back.
PORTATUNE_INLINE int32_t ordered_bits(int32_t bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); }

// scores = scale scores + bias for the visible columns, with a softcap before the bias; returns the largest score, or
// -infinity if there is none. The scores are compared as integers, because the compiler vectorises a maximum of floats
// only without NaNs.
template <bool caps>
PORTATUNE_INLINE float scale_and_find_largest(float scale, float softcap, const float* __restrict bias,
                                              KeyRange visible, float* __restrict scores) {
  int32_t largest = ordered_bits(std::bit_cast<int32_t>(-std::numeric_limits<float>::infinity()));
  for (int64_t j = visible.begin; j < visible.end; ++j) {
    scores[j] = (caps ? capped(scale * scores[j], softcap) : scale * scores[j]) + bias[j];
    largest = std::max(largest, ordered_bits(std::bit_cast<int32_t>(scores[j])));
  }
  return std::bit_cast<float>(ordered_bits(largest));
}

// The softmax of each row of scores without the division by its sum, which is returned in `sums`: dividing after the
// product with v is cheaper. Keys that the query does not see get the weight 0.
template <bool drops, bool caps, class T>
PORTATUNE_SIMD void softmax_rows(int64_t rows, const BlockContext context, float* __restrict scores,
                                 T* __restrict weights, float* __restrict sums, float* __restrict lse) {
  const int64_t columns = context.keys.size();
  for (int64_t i = 0; i < rows; ++i, scores += columns, weights += columns) {
    const KeyRange visible = context.visible(i);
    const float largest =
        scale_and_find_largest<caps>(context.scale, context.softcap, context.bias(i), visible, scores);
    const float shift = largest == -std::numeric_limits<float>::infinity() ? 0.0F : largest;  // all hidden: weights 0
    const uint32_t first_index = context.index_of_row(i);
    std::fill(weights, weights + visible.begin, T());
    float sum = 0;
    for (int64_t j = visible.begin; j < visible.end; ++j) {
      const float e = exp_nonpositive(scores[j] - shift);
      sum += e;
      weights[j] = from_float<T>(drops ? e * dropout_factor(context.mask, first_index + static_cast<uint32_t>(j)) : e);
    }
    std::fill(weights + visible.end, weights + columns, T());
    sums[i] = sum == 0 ? 1.0F : sum;
    lse[i] = shift + std::log(sums[i]);
  }
}

template <class T>
PORTATUNE_SIMD void divide_rows(int64_t rows, int64_t size, const float* __restrict x, const float* __restrict divisors,
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
void attend(const AttentionShape& shape, const AttentionOptions& options, const Visibility& visibility,
            const AttentionInputs<T>& in, const QueryBlock& block, T* out, float* lse) {
  thread_local Scratch<T> scratch;
  const BlockContext context = context_of(shape, options, visibility, block);
  const int64_t keys = context.keys.size(), first_key = block.kv_offset(shape, context.keys.begin);
  float* scores = at_least(scratch.scores, block.rows * keys);
  float* sums = at_least(scratch.sums, block.rows);
  float* mixed = at_least(scratch.mixed, block.rows * shape.head_size);
  T* weights = at_least(scratch.weights, block.rows * keys);
  constexpr DType kType = kDTypeOf<T>;

  multiply(scores_of(kType, shape, block.rows, keys), in.q + block.query_offset(shape), in.k + first_key, nullptr,
           scores);
  const bool caps = options.softcap > 0;
  const auto softmax = options.dropout ? (caps ? softmax_rows<true, true, T> : softmax_rows<true, false, T>)
                                       : (caps ? softmax_rows<false, true, T> : softmax_rows<false, false, T>);
  softmax(block.rows, context, scores, weights, sums, lse + block.row_offset(shape));

  const Gemm weighted_sum{.m = block.rows,
                          .n = shape.head_size,
                          .k = keys,
                          .a = {kType, keys, 1},
                          .b = key_rows(kType, shape),
                          .c = {DType::kFloat32, shape.head_size, 1}};
  multiply(weighted_sum, weights, in.v + first_key, nullptr, mixed);
  divide_rows(block.rows, shape.head_size, mixed, sums, shape.hidden(), out + block.query_offset(shape));
}

}  // namespace

template <class T>
void attention(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
               const AttentionInputs<T>& in, T* out, float* lse) {
  const bool one_query = shape.query == 1 && !options.dropout && in.segments == nullptr;
  if (one_query) return attention_of_one_query(workers, shape, options, in, out, lse);
  const Visibility visibility(shape, options.band, in.bias, in.segments);
  const int64_t queries = visibility.queries_per_block(), blocks = (shape.query + queries - 1) / queries;
  parallel_for(workers, shape.batch * shape.heads * blocks, [&](int64_t piece) {
    const int64_t head = piece / blocks, first = piece % blocks * queries;
    attend(shape, options, visibility, in,
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

}  // namespace portatune::kernels
