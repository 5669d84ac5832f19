// Attention by cuDNN's fused kernels, which keep no scores in memory. On GPUs.
#pragma once

#include <string_view>

#include "portatune/ops.h"

namespace portatune {

/// The name under which a target offers it; see Target::kernels.
constexpr std::string_view kCudnnAttention = "cudnn.attention";

struct CudnnAttention {
  double scale;    ///< of q k^T
  bool is_causal;  ///< where a query sees the keys up to its own place; as many queries as keys
};

/// Whether cuDNN has attention for queries and keys of these types.
/// q [batch, query, heads, head_size]; k [batch, kv, kv_heads, head_size]
bool cudnn_takes(const TensorType& q, const TensorType& k);
/// The lowest bias of a type: below, cuDNN subtracts infinities.
double cudnn_lowest(DType dtype);

/// softmax(scale q k^T + bias) v per head: {like q; the logs of the rows' sums of exponentials, float32 [batch, heads,
/// query]}. There is no other way to compute it than cuDNN's.
/// q, k, v  that cudnn_takes; v like k
/// bias     [batch, 1, query, kv], of their type
Values cudnn_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const CudnnAttention& a);

struct CudnnAttentionGrad {
  Value q, k, v, bias, out, lse, dout;
};
/// The gradients of q, k and v.
Values cudnn_attention_grad(const CudnnAttentionGrad& values, const CudnnAttention& a);

}  // namespace portatune
