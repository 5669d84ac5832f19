#include "portatune/kernels/cpu/attention/attention_one_query.h"

#include <cmath>
#include <limits>

#include "portatune/kernels/cpu/attention/attention_blocks.h"
#include "portatune/kernels/cpu/elementwise/simd_math.h"

namespace portatune::kernels {
namespace {

// A bias below this gives a weight of exactly 0 beside any key that is not hidden.
constexpr float kHidden = -1e30F;

// The keys that the query sees by band and bias; the whole band if the bias hides all of it.
KeyRange keys_to_read(const AttentionShape& shape, const Band& band, const float* bias) {
  const KeyRange whole = visible_keys(shape, band, 0);
  KeyRange range = whole;
  while (range.begin < range.end && bias[range.begin] < kHidden) ++range.begin;
  while (range.begin < range.end && bias[range.end - 1] < kHidden) --range.end;
  return range.size() > 0 ? range : whole;
}

template <class T>
PORTATUNE_INLINE float dot(const T* __restrict a, const T* __restrict b, int64_t size) {
  float sum = 0;
  for (int64_t d = 0; d < size; ++d) sum += to_float(a[d]) * to_float(b[d]);
  return sum;
}

// The offset of the j-th key of a head.
struct KeyOffsets {
  int64_t stride;                 // distance of adjacent keys
  const int32_t* rows = nullptr;  // the row of each key; null: all are in one row
  int64_t row_stride = 0;

  PORTATUNE_INLINE int64_t operator()(int64_t j) const {
    return j * stride + (rows == nullptr ? 0 : rows[j] * row_stride);
  }
};

// Attention of one head, which begins at k and v. scores [keys] and sums [size] are scratch memory.
template <class T>
PORTATUNE_SIMD void attend(int64_t keys, int64_t size, const KeyOffsets offset, float scale, float softcap,
                           const T* __restrict q, const T* __restrict k, const T* __restrict v,
                           const float* __restrict bias, float* __restrict scores, float* __restrict sums,
                           T* __restrict out, float* __restrict lse) {
  float largest = -std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < keys; ++j) {
    const float product = scale * dot(q, k + offset(j), size);
    scores[j] = (softcap > 0 ? capped(product, softcap) : product) + bias[j];
    largest = scores[j] > largest ? scores[j] : largest;
  }
  const float shift = largest == -std::numeric_limits<float>::infinity() ? 0.0F : largest;
  float total = 0;
  for (int64_t j = 0; j < keys; ++j) {
    scores[j] = exp_nonpositive(scores[j] - shift);
    total += scores[j];
  }
  if (total == 0) total = 1;
  std::fill(sums, sums + size, 0.0F);
  for (int64_t j = 0; j < keys; ++j) {
    const float weight = to_float(from_float<T>(scores[j]));
    const T* value = v + offset(j);
    for (int64_t d = 0; d < size; ++d) sums[d] += weight * to_float(value[d]);
  }
  const float factor = 1.0F / total;
  for (int64_t d = 0; d < size; ++d) out[d] = from_float<T>(sums[d] * factor);
  *lse = shift + std::log(total);
}

// rows  see cached_attention(); null: each example reads its own row
// lse   null: not wanted
template <class T>
void attend_to_rows(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                    const AttentionInputs<T>& in, const int32_t* rows, T* out, float* lse) {
  parallel_for(workers, shape.batch * shape.kv_heads, [&](int64_t piece) {
    thread_local std::vector<float> scores, sums;
    const int64_t example = piece / shape.kv_heads, group = shape.group();
    // Heads that share keys come one after the other, while the keys are in the cache.
    for (int64_t head = piece % shape.kv_heads * group; head < (piece % shape.kv_heads + 1) * group; ++head) {
      const float* bias = in.bias.row(example, head, 0);
      const KeyRange keys = keys_to_read(shape, options.band, bias);
      const QueryBlock block{.example = example, .head = head, .first_query = 0, .rows = 1};
      const QueryBlock cache{.example = rows == nullptr ? example : 0, .head = head, .first_query = 0, .rows = 1};
      const KeyOffsets offset{.stride = shape.kv_hidden(),
                              .rows = rows == nullptr ? nullptr : rows + example * shape.kv + keys.begin,
                              .row_stride = shape.kv * shape.kv_hidden()};
      const int64_t first = cache.kv_offset(shape, keys.begin), query = block.query_offset(shape);
      float unwanted = 0;
      attend(keys.size(), shape.head_size, offset, options.scale, options.softcap, in.q + query, in.k + first,
             in.v + first, bias + keys.begin, at_least(scores, keys.size()), at_least(sums, shape.head_size),
             out + query, lse == nullptr ? &unwanted : lse + block.row_offset(shape));
    }
  });
}

}  // namespace

template <class T>
void attention_of_one_query(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                            const AttentionInputs<T>& in, T* out, float* lse) {
  attend_to_rows(workers, shape, options, in, nullptr, out, lse);
}

template <class T>
void cached_attention(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                      const AttentionInputs<T>& in, const int32_t* rows, T* out) {
  attend_to_rows(workers, shape, options, in, rows, out, nullptr);
}

template void attention_of_one_query(const Workers&, const AttentionShape&, const AttentionOptions&,
                                     const AttentionInputs<float>&, float*, float*);
template void attention_of_one_query(const Workers&, const AttentionShape&, const AttentionOptions&,
                                     const AttentionInputs<Bfloat16>&, Bfloat16*, float*);
template void cached_attention(const Workers&, const AttentionShape&, const AttentionOptions&,
                               const AttentionInputs<float>&, const int32_t*, float*);
template void cached_attention(const Workers&, const AttentionShape&, const AttentionOptions&,
                               const AttentionInputs<Bfloat16>&, const int32_t*, Bfloat16*);

}  // namespace portatune::kernels
