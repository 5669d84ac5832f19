#include <algorithm>
#include <span>

#include "portatune/kernels/cpu/attention/attention.h"
#include "portatune/kernels/cpu/attention/attention_one_query.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

using Heads = Attribute<int64_t, "heads">;
using KvHeads = Attribute<int64_t, "kv_heads">;
using DropoutHeads = Attribute<int64_t, "dropout_heads">;
using Scale = Attribute<float, "scale">;
using Softcap = Attribute<float, "softcap">;
using Drops = Attribute<bool, "drops">;
using Before = Attribute<int64_t, "before">;
using After = Attribute<int64_t, "after">;

AttentionShape shape_of(const Operand& q, const Operand& k, int64_t heads, int64_t kv_heads, int64_t dropout_heads) {
  const auto queries = q.dimensions(), keys = k.dimensions();
  require(queries.size() == 3 && keys.size() == 3 && queries[0] == keys[0],
          "q [batch, query, hidden] and k [batch, kv, kv_hidden]");
  require(kv_heads > 0 && heads > 0 && heads % kv_heads == 0, "heads that are a multiple of the kv_heads");
  require(queries[2] % heads == 0, "a hidden size that is a multiple of the heads");
  require(dropout_heads >= heads, "at least as many dropout_heads as heads");
  const AttentionShape shape{queries[0], heads, queries[1], keys[1], queries[2] / heads, kv_heads, dropout_heads};
  require(keys[2] == shape.kv_hidden(), "as many elements in a head of k as in one of q");
  require(shape.batch > 0 && shape.query > 0 && shape.kv > 0 && shape.head_size > 0, "sizes of at least 1");
  return shape;
}

AttentionOptions options_of(const U32Operand& key, const F32Operand& rule, float scale, float softcap, bool drops,
                            Band band) {
  require(size_of(key) == 2 && size_of(rule) == 2, "a key [2] and a dropout rule [2]");
  require(0 <= band.before && band.before <= Band::kUnlimited && 0 <= band.after && band.after <= Band::kUnlimited,
          "a band of sizes from 0 to Band::kUnlimited");
  require(softcap >= 0, "a softcap of at least 0");
  AttentionOptions options{.scale = scale, .softcap = softcap, .band = band};
  if (drops) options.dropout = DropoutMask(key.typed_data(), rule.typed_data());
  return options;
}

// A bias [batch or 1, heads or 1, query or 1, kv].
AttentionBias bias_of(const AttentionShape& shape, const Operand& mask) {
  const auto sizes = mask.dimensions();
  require(dtype_of(mask) == DType::kFloat32 && sizes.size() == 4 && sizes[3] == shape.kv,
          "segments int32[batch, kv] or a bias float32[.., .., .., kv]");
  const int64_t wanted[] = {shape.batch, shape.heads, shape.query};
  int64_t strides[3], stride = shape.kv;
  for (size_t axis = 3; axis-- > 0; stride *= sizes[axis]) {
    require(sizes[axis] == 1 || sizes[axis] == wanted[axis], "a bias [batch or 1, heads or 1, query or 1, kv]");
    strides[axis] = sizes[axis] == 1 ? 0 : stride;
  }
  return {data_of<const float>(mask), strides[0], strides[1], strides[2]};
}

// Checks that q, k and v have one type, k and v the same size, and that the mask (a bias or segments) fits the shape.
template <class T>
AttentionInputs<T> inputs_of(const AttentionShape& shape, const Operand& q, const Operand& k, const Operand& v,
                             const Operand& mask) {
  require(dtype_of(k) == dtype_of(q), "k of the type of q");
  require_like(v, k, "v like k");
  AttentionInputs<T> in{data_of<const T>(q), data_of<const T>(k), data_of<const T>(v), {}};
  if (dtype_of(mask) == DType::kInt32) {
    require(size_of(mask) == shape.batch * shape.kv, "segments of batch * kv elements");
    require(shape.query == shape.kv, "as many queries as keys, where there are segments");
    in.segments = data_of<const int32_t>(mask);
  } else {
    in.bias = bias_of(shape, mask);
  }
  return in;
}

void forward(XlaWorkers workers, Operand q, Operand k, Operand v, Operand mask, U32Operand key, F32Operand rule,
             Result out, F32Result lse, Heads heads, KvHeads kv_heads, DropoutHeads dropout_heads, Scale scale,
             Softcap softcap, Drops drops, Before before, After after) {
  const AttentionShape shape = shape_of(q, k, heads, kv_heads, dropout_heads);
  const AttentionOptions options = options_of(key, rule, scale, softcap, drops, {before, after});
  require(size_of(*lse) == shape.batch * heads * shape.query, "lse [batch, heads, query]");
  require_like(*out, q, "out like q");
  with_float_type(q, [&]<class T>(T) {
    attention(workers, shape, options, inputs_of<T>(shape, q, k, v, mask), data_of<T>(*out), lse->typed_data());
  });
}

void forward_cached(XlaWorkers workers, Operand q, Operand k, Operand v, Operand bias, S32Operand rows, Result out,
                    Heads heads, KvHeads kv_heads, Scale scale, Softcap softcap) {
  const AttentionShape shape = shape_of(q, k, heads, kv_heads, heads);
  require(shape.query == 1, "one query of each text");
  require_like(*out, q, "out like q");
  const std::span row_of_key(rows.typed_data(), static_cast<size_t>(size_of(rows)));
  require(size_of(rows) == shape.batch * shape.kv, "rows [texts, length]");
  require(std::ranges::all_of(row_of_key, [&](int32_t row) { return 0 <= row && row < shape.batch; }),
          "rows below the number of texts");
  with_float_type(q, [&]<class T>(T) {
    cached_attention(workers, shape, {.scale = scale, .softcap = softcap}, inputs_of<T>(shape, q, k, v, bias),
                     row_of_key.data(), data_of<T>(*out));
  });
}

// dscores  null: not wanted
void differentiate(const Workers& workers, const AttentionShape& shape, const AttentionOptions& options,
                   const Operand& dout, const Operand& q, const Operand& k, const Operand& v, const Operand& mask,
                   const Operand& out, const F32Operand& lse, const Operand& dq, const Operand& dk, const Operand& dv,
                   float* dscores) {
  require(size_of(lse) == shape.batch * shape.heads * shape.query, "lse [batch, heads, query]");
  require_like(dout, q, "dout like q");
  require_like(out, q, "out like q");
  require_like(dq, q, "dq like q");
  require_like(dk, k, "dk like k");
  require_like(dv, k, "dv like k");
  with_float_type(q, [&]<class T>(T) {
    const AttentionResults<T> results{data_of<const T>(dout), data_of<const T>(out), lse.typed_data()};
    attention_grad(workers, shape, options, inputs_of<T>(shape, q, k, v, mask), results, data_of<T>(dq), data_of<T>(dk),
                   data_of<T>(dv), dscores);
  });
}

void backward(XlaWorkers workers, Operand dout, Operand q, Operand k, Operand v, Operand mask, Operand out,
              F32Operand lse, U32Operand key, F32Operand rule, Result dq, Result dk, Result dv, Heads heads,
              KvHeads kv_heads, DropoutHeads dropout_heads, Scale scale, Softcap softcap, Drops drops, Before before,
              After after) {
  differentiate(workers, shape_of(q, k, heads, kv_heads, dropout_heads),
                options_of(key, rule, scale, softcap, drops, {before, after}), dout, q, k, v, mask, out, lse, *dq, *dk,
                *dv, nullptr);
}

void backward_with_bias(XlaWorkers workers, Operand dout, Operand q, Operand k, Operand v, Operand mask, Operand out,
                        F32Operand lse, U32Operand key, F32Operand rule, Result dq, Result dk, Result dv,
                        F32Result dscores, Heads heads, KvHeads kv_heads, DropoutHeads dropout_heads, Scale scale,
                        Softcap softcap, Drops drops, Before before, After after) {
  const AttentionShape shape = shape_of(q, k, heads, kv_heads, dropout_heads);
  require(size_of(*dscores) == shape.batch * heads * shape.query * shape.kv, "dscores [batch, heads, query, kv]");
  differentiate(workers, shape, options_of(key, rule, scale, softcap, drops, {before, after}), dout, q, k, v, mask, out,
                lse, *dq, *dk, *dv, dscores->typed_data());
}

}  // namespace

std::vector<CpuKernel> attention_kernels() {
  return {kernel<"portatune.attention", forward>(), kernel<"portatune.attention_grad", backward>(),
          kernel<"portatune.attention_bias_grad", backward_with_bias>(),
          kernel<"portatune.cached_attention", forward_cached>()};
}

}  // namespace portatune::kernels
