#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/matmul/linear.h"

namespace portatune::kernels {
namespace {

LinearShape shape_of(const char* target, const Operand& x, const Operand& w, const Operand& y) {
  const LinearShape shape{
      .rows = leading_size(x), .in = last_size(x), .out = last_size(y), .type = dtype_of(x), .bias_type = dtype_of(x)};
  require(shape.type == DType::kFloat32 || shape.type == DType::kBFloat16, target, "float32 or bfloat16 activations");
  require(leading_size(y) == shape.rows, target, "x and y with the same number of rows");
  require(leading_size(w) == shape.out && last_size(w) == shape.in, target, "a weight [out, in]");
  require(shape.rows > 0 && shape.in > 0 && shape.out > 0, target, "sizes of at least 1");
  return shape;
}

ffi::Error forward(ffi::ThreadPool pool, Operand x, Operand w, Operand bias, Result y) {
  return run_handler([&] {
    LinearShape shape = shape_of("portatune.linear", x, w, *y);
    shape.bias_type = dtype_of(bias);
    require(dtype_of(w) == shape.type && dtype_of(*y) == shape.type, "portatune.linear", "x, w and y of one type");
    require(last_size(bias) == shape.out && leading_size(bias) == 1, "portatune.linear", "a bias [out]");
    require(shape.bias_type == shape.type || shape.bias_type == DType::kFloat32, "portatune.linear",
            "a bias of float32 or of the type of x");
    linear(XlaWorkers(pool), shape, x.untyped_data(), w.untyped_data(), bias.untyped_data(), y->untyped_data());
  });
}

ffi::Error forward_no_bias(ffi::ThreadPool pool, Operand x, Operand w, Result y) {
  return run_handler([&] {
    const LinearShape shape = shape_of("portatune.linear_no_bias", x, w, *y);
    require(dtype_of(w) == shape.type && dtype_of(*y) == shape.type, "portatune.linear_no_bias",
            "x, w and y of one type");
    linear(XlaWorkers(pool), shape, x.untyped_data(), w.untyped_data(), nullptr, y->untyped_data());
  });
}

ffi::Error backward_x(ffi::ThreadPool pool, Operand dy, Operand w, Result dx) {
  return run_handler([&] {
    const LinearShape shape = shape_of("portatune.linear_dx", *dx, w, dy);
    require(dtype_of(w) == shape.type && dtype_of(dy) == shape.type, "portatune.linear_dx", "dy, w and dx of one type");
    linear_dx(XlaWorkers(pool), shape, dy.untyped_data(), w.untyped_data(), dx->untyped_data());
  });
}

ffi::Error backward_w(ffi::ThreadPool pool, Operand dy, Operand x, Result dw, Result db) {
  return run_handler([&] {
    const LinearShape shape = shape_of("portatune.linear_dw", x, *dw, dy);
    require(dtype_of(dy) == shape.type, "portatune.linear_dw", "dy and x of one type");
    require(dtype_of(*dw) == DType::kFloat32 && dtype_of(*db) == DType::kFloat32 && last_size(*db) == shape.out,
            "portatune.linear_dw", "results in float32: dw [out, in] and db [out]");
    linear_dw(XlaWorkers(pool), shape, dy.untyped_data(), x.untyped_data(), dw->typed_data<float>(),
              db->typed_data<float>());
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_linear, forward,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Arg<Operand>().Ret<Operand>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_linear_no_bias, forward_no_bias,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(portatune_linear_dx, backward_x,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_linear_dw, backward_w,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>().Ret<Operand>());

}  // namespace portatune::kernels
