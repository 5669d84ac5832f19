// Attention by cuDNN's fused kernels on GPUs, which store no scores.
#pragma once

#include <string_view>

#include "portatune/ops.h"

namespace portatune {

/// The name of this attention in Target::kernels.
constexpr std::string_view kCudnnAttention = "cudnn.attention";

struct CudnnAttention {
  double scale;    ///< factor of q k^T
  bool is_causal;  ///< whether a query sees only keys up to its own position; needs as many queries as keys
};

/// True if cuDNN supports attention with queries and keys of these types.
/// q [batch, query, heads, head_size]; k [batch, kv, kv_heads, head_size]
bool cudnn_takes(const TensorType& q, const TensorType& k);
/// The lowest bias of a type: below it, cuDNN subtracts infinities.
double cudnn_lowest(DType dtype);

/// softmax(scale q k^T + bias) v per head, only by cuDNN.
/// q, k, v  types that cudnn_takes(); v has the type of k
/// bias     [batch, 1, query, kv], of their element type
/// returns  the output, of the type of q, and the logs of the rows' sums of exponentials, float32 [batch, heads, query]
Values cudnn_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const CudnnAttention& a);

struct CudnnAttentionGrad {
  Value q, k, v, bias, out, lse, dout;
};
/// The gradients of q, k and v.
Values cudnn_attention_grad(const CudnnAttentionGrad& values, const CudnnAttention& a);

}  // namespace portatune
