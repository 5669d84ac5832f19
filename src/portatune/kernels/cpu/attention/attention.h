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
  int64_t dropout_heads = heads;  ///< of an example, by which dropout numbers the weights

  int64_t hidden() const { return heads * head_size; }
  int64_t kv_hidden() const { return kv_heads * head_size; }
  int64_t group() const { return heads / kv_heads; }
};

/// Query i sees key j only where -before <= j - (i + kv - query) <= after: the last query stands at the last key.
struct Band {
  static constexpr int64_t kUnlimited = int64_t{1} << 40;
  int64_t before = kUnlimited, after = kUnlimited;
};

struct AttentionOptions {
  float scale = 1;  ///< of q k^T
  Band band = {};   ///< keys outside are not looked at
  std::optional<DropoutMask>
      dropout;  ///< of the weights; element ((b * dropout_heads + h) * query + i) * kv + j decides
};

/// q [batch, query, hidden]; k, v [batch, kv, kv_hidden], in which a head is a slice of the last axis. Of the two that
/// say which keys are hidden, one is null.
template <class T>
struct AttentionInputs {
  const T *q, *k, *v;
  /// float32 [batch, kv], added to the scores of every head and query: 0 keeps, very negative or -infinity hides.
  const float* bias;
  /// [batch, kv] with query = kv: several texts in a row, whose tokens stand side by side under one number, from 1 on.
  /// A query sees the keys of its own text; the others cost nothing. 0 neither sees nor is seen.
  const int32_t* segments = nullptr;
};

/// out = dropout(softmax(scale q k^T + bias)) v for each head, [batch, query, hidden].
/// lse   float32 [batch, heads, query]: log of each row's sum of exponentials, which the gradient needs
/// A row that sees no key, or none whose bias is not -infinity, gives zeros. T is float or Bfloat16; softmax and sums
/// are in float32, the weights are rounded to T before they meet v. source: Vaswani et al. 2017, arXiv:1706.03762,
/// equation 1
template <class T>
void attention(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
               const AttentionInputs<T>& in, T* out, float* lse);

/// What attention gave, and the gradient of `out`.
template <class T>
struct AttentionResults {
  const T *dout, *out;
  const float* lse;
};

/// dq, dk and dv, by computing the weights again. No gradient flows to the bias, nor from a row whose keys are all
/// hidden.
/// source: Dao et al. 2022, arXiv:2205.14135, algorithm 4
template <class T>
void attention_grad(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                    const AttentionInputs<T>& in, const AttentionResults<T>& results, T* dq, T* dk, T* dv);

}  // namespace portatune::kernels
