#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/norm/rms_norm.h"

namespace portatune::kernels {
namespace {

ffi::Error forward(ffi::ThreadPool pool, Operand x, Operand weight, Result y, Result rstd, float eps) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.rms_norm";
    const int64_t rows = leading_size(x), size = last_size(x);
    require_array(weight, DType::kFloat32, size, kTarget, "a weight float32[size]");
    require_array(*rstd, DType::kFloat32, rows, kTarget, "a float32 rstd of each row");
    with_float_type(x, kTarget, [&]<class T>(T) {
      require_array(*y, kDTypeOf<T>, rows * size, kTarget, "a result like x");
      rms_norm(XlaWorkers(pool), rows, size, eps, data_of<const T>(x), data_of<const float>(weight), data_of<T>(*y),
               data_of<float>(*rstd));
    });
  });
}

ffi::Error backward(ffi::ThreadPool pool, Operand dy, Operand x, Operand weight, Operand rstd, Result dx,
                    Result dweight) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.rms_norm_grad";
    const int64_t rows = leading_size(x), size = last_size(x);
    require_array(weight, DType::kFloat32, size, kTarget, "a weight float32[size]");
    require_array(rstd, DType::kFloat32, rows, kTarget, "a float32 rstd of each row");
    require_array(*dweight, DType::kFloat32, size, kTarget, "dweight float32[size]");
    with_float_type(x, kTarget, [&]<class T>(T) {
      require_array(dy, kDTypeOf<T>, rows * size, kTarget, "dy like x");
      require_array(*dx, kDTypeOf<T>, rows * size, kTarget, "dx like x");
      const RmsNormGradInputs<T> in{data_of<const T>(dy), data_of<const T>(x), data_of<const float>(weight),
                                    data_of<const float>(rstd)};
      rms_norm_grad(XlaWorkers(pool), rows, size, in, data_of<T>(*dx), data_of<float>(*dweight));
    });
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_rms_norm, forward,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>().Ret<Operand>().Attr<float>(
        "eps"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_rms_norm_grad, backward,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Arg<Operand>()
                                  .Ret<Operand>()
                                  .Ret<Operand>());

}  // namespace portatune::kernels
