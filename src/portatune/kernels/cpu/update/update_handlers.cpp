// Handlers of the optimizer's update, of the gradient norm, and of the gradients of biases and embeddings.
#include <cstring>

#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/update/adamw.h"
#include "portatune/kernels/cpu/update/column_sums.h"
#include "portatune/kernels/cpu/update/embedding_grad.h"
#include "portatune/kernels/cpu/update/sum_of_squares.h"

namespace portatune::kernels {
namespace {

// The result's memory with the operand's values. If the call aliases the two, which is usual, it is the same memory.
float* in_place(const Operand& operand, Result& result) {
  auto* data = data_of<float>(*result);
  if (data != operand.untyped_data()) std::memcpy(data, operand.untyped_data(), operand.size_bytes());
  return data;
}

ffi::Error update(ffi::ThreadPool pool, Operand p, Operand m, Operand v, Operand g, Operand hyper, Result new_p,
                  Result new_m, Result new_v, float beta1, float beta2, float eps, float weight_decay) {
  return run_handler([&] {
    const auto size = static_cast<int64_t>(p.element_count());
    for (const Operand& array : {p, m, v, g, *new_p, *new_m, *new_v}) {
      require_array(array, DType::kFloat32, size, "portatune.adamw",
                    "p, m, v, g and results in float32, of the same size");
    }
    require_array(hyper, DType::kFloat32, 5, "portatune.adamw", "hyper-parameters float32[5]");
    adamw(XlaWorkers(pool), {beta1, beta2, eps, weight_decay}, data_of<const float>(hyper), size, in_place(p, new_p),
          in_place(m, new_m), in_place(v, new_v), data_of<const float>(g));
  });
}

ffi::Error square(ffi::ThreadPool pool, Operand x, Result sum) {
  return run_handler([&] {
    require_array(*sum, DType::kFloat32, 1, "portatune.sum_of_squares", "a float32 scalar as result");
    with_float_type(x, "portatune.sum_of_squares", [&]<class T>(T) {
      const auto size = static_cast<int64_t>(x.element_count());
      *data_of<float>(*sum) = static_cast<float>(sum_of_squares(XlaWorkers(pool), size, data_of<const T>(x)));
    });
  });
}

ffi::Error add_up_columns(ffi::ThreadPool pool, Operand x, Result sums) {
  return run_handler([&] {
    const auto size = static_cast<int64_t>(x.element_count()), columns = static_cast<int64_t>(sums->element_count());
    require(columns > 0 && size % columns == 0, "portatune.column_sums", "rows of as many elements as the result has");
    with_float_type(x, "portatune.column_sums", [&]<class T>(T) {
      require_array(*sums, kDTypeOf<T>, columns, "portatune.column_sums", "a result of the type of x");
      column_sums(XlaWorkers(pool), size / columns, columns, data_of<const T>(x), data_of<T>(*sums));
    });
  });
}

ffi::Error scatter(ffi::ThreadPool pool, Operand dy, Operand ids, Result dtable) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.embedding_grad";
    const EmbeddingGradShape shape{leading_size(dy), last_size(dy), leading_size(*dtable)};
    require_array(ids, DType::kInt32, shape.tokens, kTarget, "an int32 id for each row of dy");
    require_array(*dtable, DType::kFloat32, shape.vocab * shape.width, kTarget, "a result float32[vocab, width]");
    require(last_size(*dtable) == shape.width, kTarget, "a result as wide as dy");
    with_float_type(dy, kTarget, [&]<class T>(T) {
      embedding_grad(XlaWorkers(pool), shape, data_of<const T>(dy), data_of<const int32_t>(ids),
                     data_of<float>(*dtable));
    });
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_adamw, update,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Attr<float>("beta1")
                                  .Attr<float>("beta2")
                                  .Attr<float>("eps")
                                  .Attr<float>("weight_decay"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_sum_of_squares, square,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Ret<Operand>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_column_sums, add_up_columns,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Ret<Operand>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_embedding_grad, scatter,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>());

}  // namespace portatune::kernels
