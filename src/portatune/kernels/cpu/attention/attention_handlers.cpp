#include "portatune/kernels/cpu/attention/attention.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

using Heads = Attribute<int64_t, "heads">;
using KvHeads = Attribute<int64_t, "kv_heads">;
using DropoutHeads = Attribute<int64_t, "dropout_heads">;
using Scale = Attribute<float, "scale">;
using Dropout = Attribute<float, "dropout">;
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

AttentionOptions options_of(const U32Operand& key, float scale, float dropout, Band band) {
  require(size_of(key) == 2, "a key [2]");
  require(dropout >= 0 && dropout < 1, "a dropout rate in [0, 1)");
  require(0 <= band.before && band.before <= Band::kUnlimited && 0 <= band.after && band.after <= Band::kUnlimited,
          "a band of sizes from 0 to Band::kUnlimited");
  AttentionOptions options{.scale = scale, .band = band};
  if (dropout > 0) options.dropout = DropoutMask(key.typed_data(), dropout);
  return options;
}

// Checks that q, k and v have one type, k and v the same size, and that the mask (a bias or segments) fits the shape.
template <class T>
AttentionInputs<T> inputs_of(const AttentionShape& shape, const Operand& q, const Operand& k, const Operand& v,
                             const Operand& mask) {
  require(dtype_of(k) == dtype_of(q), "k of the type of q");
  require_like(v, k, "v like k");
  require(size_of(mask) == shape.batch * shape.kv, "a mask of batch * kv elements");
  AttentionInputs<T> in{data_of<const T>(q), data_of<const T>(k), data_of<const T>(v), nullptr};
  if (dtype_of(mask) == DType::kInt32) {
    require(shape.query == shape.kv, "as many queries as keys, where there are segments");
    in.segments = data_of<const int32_t>(mask);
  } else {
    require(dtype_of(mask) == DType::kFloat32, "segments int32[batch, kv] or a bias float32[batch, 1, 1, kv]");
    in.bias = data_of<const float>(mask);
  }
  return in;
}

void forward(XlaWorkers workers, Operand q, Operand k, Operand v, Operand mask, U32Operand key, Result out,
             F32Result lse, Heads heads, KvHeads kv_heads, DropoutHeads dropout_heads, Scale scale, Dropout dropout,
             Before before, After after) {
  const AttentionShape shape = shape_of(q, k, heads, kv_heads, dropout_heads);
  const AttentionOptions options = options_of(key, scale, dropout, {before, after});
  require(size_of(*lse) == shape.batch * heads * shape.query, "lse [batch, heads, query]");
  require_like(*out, q, "out like q");
  with_float_type(q, [&]<class T>(T) {
    attention(workers, shape, options, inputs_of<T>(shape, q, k, v, mask), data_of<T>(*out), lse->typed_data());
  });
}

void backward(XlaWorkers workers, Operand dout, Operand q, Operand k, Operand v, Operand mask, Operand out,
              F32Operand lse, U32Operand key, Result dq, Result dk, Result dv, Heads heads, KvHeads kv_heads,
              DropoutHeads dropout_heads, Scale scale, Dropout dropout, Before before, After after) {
  const AttentionShape shape = shape_of(q, k, heads, kv_heads, dropout_heads);
  const AttentionOptions options = options_of(key, scale, dropout, {before, after});
  require(size_of(lse) == shape.batch * heads * shape.query, "lse [batch, heads, query]");
  require_like(dout, q, "dout like q");
  require_like(out, q, "out like q");
  require_like(*dq, q, "dq like q");
  require_like(*dk, k, "dk like k");
  require_like(*dv, k, "dv like k");
  with_float_type(q, [&]<class T>(T) {
    const AttentionResults<T> results{data_of<const T>(dout), data_of<const T>(out), lse.typed_data()};
    attention_grad(workers, shape, options, inputs_of<T>(shape, q, k, v, mask), results, data_of<T>(*dq),
                   data_of<T>(*dk), data_of<T>(*dv));
  });
}

}  // namespace

std::vector<CpuKernel> attention_kernels() {
  return {kernel<"portatune.attention", forward>(), kernel<"portatune.attention_grad", backward>()};
}

}  // namespace portatune::kernels
