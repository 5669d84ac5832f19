#include "portatune/kernels/cpu/attention/attention.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

AttentionShape shape_of(const char* target, const Operand& q, const Operand& k, int64_t heads, int64_t kv_heads,
                        int64_t dropout_heads) {
  const auto queries = q.dimensions(), keys = k.dimensions();
  require(queries.size() == 3 && keys.size() == 3 && queries[0] == keys[0], target,
          "q [batch, query, hidden] and k [batch, kv, kv_hidden]");
  require(kv_heads > 0 && heads > 0 && heads % kv_heads == 0, target, "heads that are a multiple of the kv_heads");
  require(queries[2] % heads == 0, target, "a hidden size that is a multiple of the heads");
  require(dropout_heads >= heads, target, "at least as many dropout_heads as heads");
  const AttentionShape shape{queries[0], heads, queries[1], keys[1], queries[2] / heads, kv_heads, dropout_heads};
  require(keys[2] == shape.kv_hidden(), target, "as many elements in a head of k as in one of q");
  require(shape.batch > 0 && shape.query > 0 && shape.kv > 0 && shape.head_size > 0, target, "sizes of at least 1");
  return shape;
}

AttentionOptions options_of(const char* target, const Operand& key, float scale, float dropout, Band band) {
  require_array(key, DType::kUInt32, 2, target, "a key uint32[2]");
  require(dropout >= 0 && dropout < 1, target, "a dropout rate in [0, 1)");
  require(0 <= band.before && band.before <= Band::kUnlimited && 0 <= band.after && band.after <= Band::kUnlimited,
          target, "a band of sizes from 0 to Band::kUnlimited");
  AttentionOptions options{.scale = scale, .band = band};
  if (dropout > 0) options.dropout = DropoutMask(data_of<const uint32_t>(key), dropout);
  return options;
}

// Checks that q, k and v are arrays of type T with the shape's sizes, and that the mask (a bias or segments) fits them.
template <class T>
AttentionInputs<T> inputs_of(const char* target, const AttentionShape& shape, const Operand& q, const Operand& k,
                             const Operand& v, const Operand& mask) {
  const int64_t kv_size = shape.batch * shape.kv * shape.kv_hidden();
  require_array(k, kDTypeOf<T>, kv_size, target, "k of the type of q");
  require_array(v, kDTypeOf<T>, kv_size, target, "v like k");
  AttentionInputs<T> in{data_of<const T>(q), data_of<const T>(k), data_of<const T>(v), nullptr};
  if (dtype_of(mask) == DType::kInt32) {
    require(shape.query == shape.kv, target, "as many queries as keys, where there are segments");
    require_array(mask, DType::kInt32, shape.batch * shape.kv, target, "segments int32[batch, kv]");
    in.segments = data_of<const int32_t>(mask);
  } else {
    require_array(mask, DType::kFloat32, shape.batch * shape.kv, target, "a bias float32[batch, 1, 1, kv]");
    in.bias = data_of<const float>(mask);
  }
  return in;
}

ffi::Error forward(ffi::ThreadPool pool, Operand q, Operand k, Operand v, Operand mask, Operand key, Result out,
                   Result lse, int64_t heads, int64_t kv_heads, int64_t dropout_heads, float scale, float dropout,
                   int64_t before, int64_t after) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.attention";
    const AttentionShape shape = shape_of(kTarget, q, k, heads, kv_heads, dropout_heads);
    const AttentionOptions options = options_of(kTarget, key, scale, dropout, {before, after});
    require_array(*lse, DType::kFloat32, shape.batch * heads * shape.query, kTarget,
                  "lse float32[batch, heads, query]");
    with_float_type(q, kTarget, [&]<class T>(T) {
      require_array(*out, kDTypeOf<T>, shape.batch * shape.query * shape.hidden(), kTarget, "out like q");
      attention(XlaWorkers(pool), shape, options, inputs_of<T>(kTarget, shape, q, k, v, mask), data_of<T>(*out),
                data_of<float>(*lse));
    });
  });
}

ffi::Error backward(ffi::ThreadPool pool, Operand dout, Operand q, Operand k, Operand v, Operand mask, Operand out,
                    Operand lse, Operand key, Result dq, Result dk, Result dv, int64_t heads, int64_t kv_heads,
                    int64_t dropout_heads, float scale, float dropout, int64_t before, int64_t after) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.attention_grad";
    const AttentionShape shape = shape_of(kTarget, q, k, heads, kv_heads, dropout_heads);
    const AttentionOptions options = options_of(kTarget, key, scale, dropout, {before, after});
    require_array(lse, DType::kFloat32, shape.batch * heads * shape.query, kTarget, "lse float32[batch, heads, query]");
    with_float_type(q, kTarget, [&]<class T>(T) {
      const int64_t q_size = shape.batch * shape.query * shape.hidden();
      const int64_t kv_size = shape.batch * shape.kv * shape.kv_hidden();
      require_array(dout, kDTypeOf<T>, q_size, kTarget, "dout like q");
      require_array(out, kDTypeOf<T>, q_size, kTarget, "out like q");
      require_array(*dq, kDTypeOf<T>, q_size, kTarget, "dq like q");
      require_array(*dk, kDTypeOf<T>, kv_size, kTarget, "dk like k");
      require_array(*dv, kDTypeOf<T>, kv_size, kTarget, "dv like v");
      const AttentionResults<T> results{data_of<const T>(dout), data_of<const T>(out), data_of<const float>(lse)};
      attention_grad(XlaWorkers(pool), shape, options, inputs_of<T>(kTarget, shape, q, k, v, mask), results,
                     data_of<T>(*dq), data_of<T>(*dk), data_of<T>(*dv));
    });
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_attention, forward,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Attr<int64_t>("heads")
                                  .Attr<int64_t>("kv_heads")
                                  .Attr<int64_t>("dropout_heads")
                                  .Attr<float>("scale")
                                  .Attr<float>("dropout")
                                  .Attr<int64_t>("before")
                                  .Attr<int64_t>("after"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_attention_grad, backward,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Attr<int64_t>("heads")
                                  .Attr<int64_t>("kv_heads")
                                  .Attr<int64_t>("dropout_heads")
                                  .Attr<float>("scale")
                                  .Attr<float>("dropout")
                                  .Attr<int64_t>("before")
                                  .Attr<int64_t>("after"));

}  // namespace portatune::kernels
