#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/norm/layer_norm.h"

namespace portatune::kernels {
namespace {

ffi::Error forward(ffi::ThreadPool pool, Operand x, Operand gamma, Operand beta, Result y, Result mean, Result rstd,
                   float eps) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.layer_norm";
    const int64_t rows = leading_size(x), size = last_size(x);
    require_array(gamma, DType::kFloat32, size, kTarget, "gamma float32[size]");
    require_array(beta, DType::kFloat32, size, kTarget, "beta float32[size]");
    require_array(*mean, DType::kFloat32, rows, kTarget, "a float32 mean of each row");
    require_array(*rstd, DType::kFloat32, rows, kTarget, "a float32 rstd of each row");
    with_float_type(x, kTarget, [&]<class T>(T) {
      require_array(*y, kDTypeOf<T>, rows * size, kTarget, "a result like x");
      layer_norm(XlaWorkers(pool), rows, size, eps, data_of<const T>(x), data_of<const float>(gamma),
                 data_of<const float>(beta), data_of<T>(*y), data_of<float>(*mean), data_of<float>(*rstd));
    });
  });
}

ffi::Error backward(ffi::ThreadPool pool, Operand dy, Operand x, Operand gamma, Operand mean, Operand rstd, Result dx,
                    Result dgamma, Result dbeta) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.layer_norm_grad";
    const int64_t rows = leading_size(x), size = last_size(x);
    require_array(gamma, DType::kFloat32, size, kTarget, "gamma float32[size]");
    require_array(mean, DType::kFloat32, rows, kTarget, "a float32 mean of each row");
    require_array(rstd, DType::kFloat32, rows, kTarget, "a float32 rstd of each row");
    require_array(*dgamma, DType::kFloat32, size, kTarget, "dgamma float32[size]");
    require_array(*dbeta, DType::kFloat32, size, kTarget, "dbeta float32[size]");
    with_float_type(x, kTarget, [&]<class T>(T) {
      require_array(dy, kDTypeOf<T>, rows * size, kTarget, "dy like x");
      require_array(*dx, kDTypeOf<T>, rows * size, kTarget, "dx like x");
      const LayerNormGradInputs<T> in{data_of<const T>(dy), data_of<const T>(x), data_of<const float>(gamma),
                                      data_of<const float>(mean), data_of<const float>(rstd)};
      layer_norm_grad(XlaWorkers(pool), rows, size, in, data_of<T>(*dx), data_of<float>(*dgamma),
                      data_of<float>(*dbeta));
    });
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_layer_norm, forward,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Attr<float>("eps"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_layer_norm_grad, backward,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>());

}  // namespace portatune::kernels
