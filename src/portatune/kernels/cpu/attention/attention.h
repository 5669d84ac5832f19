// Scaled dot-product attention and its gradients, without a matrix of all scores.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/kernels/cpu/elementwise/dropout.h"
#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

struct AttentionShape {
  int64_t batch, heads, query, kv, head_size;
  int64_t kv_heads = heads;       ///< each serves heads / kv_heads consecutive heads
  int64_t dropout_heads = heads;  ///< heads of an example for the numbering of weights in dropout

  int64_t hidden() const { return heads * head_size; }
  int64_t kv_hidden() const { return kv_heads * head_size; }
  int64_t group() const { return heads / kv_heads; }
};

/// Query i sees key j only if -before <= j - (i + kv - query) <= after: the last query is at the last key's position.
struct Band {
  static constexpr int64_t kUnlimited = int64_t{1} << 40;
  int64_t before = kUnlimited, after = kUnlimited;
};

struct AttentionOptions {
  float scale = 1;    ///< factor of q k^T
  float softcap = 0;  ///< bounds scale q k^T to softcap tanh(scale q k^T / softcap); 0: no bound
  Band band = {};     ///< keys outside the band are not read
  std::optional<DropoutMask>
      dropout;  ///< dropout of the weights, by index ((b * dropout_heads + h) * query + i) * kv + j
};

/// A float32 array that is added to the scores: 0 keeps a key, very negative or -infinity hides it. The elements for
/// consecutive keys are adjacent. The distance to the next example, head or query is 0 if they share elements.
struct AttentionBias {
  const float* data = nullptr;
  int64_t example_stride = 0, head_stride = 0, query_stride = 0;

  /// The elements of one row of scores.
  const float* row(int64_t example, int64_t head, int64_t query) const {
    return data + example * example_stride + head * head_stride + query * query_stride;
  }
};

/// q [batch, query, hidden]; k, v [batch, kv, kv_hidden], in which a head is a slice of the last axis. One of the bias
/// and `segments` is null.
template <class T>
struct AttentionInputs {
  const T *q, *k, *v;
  AttentionBias bias;
  /// [batch, kv] with query = kv, for packed rows: the number of each token's segment, from 1; the tokens of a segment
  /// are adjacent. A query sees the keys of its segment; the others cost nothing. 0 is padding.
  const int32_t* segments = nullptr;
};

/// out = dropout(softmax(softcap of scale q k^T + bias)) v for each head, [batch, query, hidden].
/// lse     float32 [batch, heads, query]: log of each row's sum of exponentials, for the gradient
/// A row without visible keys, or only with a bias of -infinity, gives zeros. T is float or Bfloat16; softmax and sums
/// are in float32; the weights are rounded to T before the product with v.
/// source  Vaswani et al. 2017, arXiv:1706.03762, equation 1
template <class T>
void attention(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
               const AttentionInputs<T>& in, T* out, float* lse);

/// The results of attention, and the gradient of `out`.
template <class T>
struct AttentionResults {
  const T *dout, *out;
  const float* lse;
};

/// Computes dq, dk and dv from recomputed weights. No gradient flows from a row whose keys are all hidden.
/// dscores  if not null: the gradient of the scores and thus of the bias, float32 [batch, heads, query, kv]
/// source: Dao et al. 2022, arXiv:2205.14135, algorithm 4
template <class T>
void attention_grad(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                    const AttentionInputs<T>& in, const AttentionResults<T>& results, T* dq, T* dk, T* dv,
                    float* dscores = nullptr);

}  // namespace portatune::kernels
