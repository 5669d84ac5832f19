// Handlers of gelu, dropout and rotary.
#include "portatune/kernels/cpu/attention/rotary.h"
#include "portatune/kernels/cpu/elementwise/dropout.h"
#include "portatune/kernels/cpu/elementwise/gelu.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

int64_t size_of_all(const Operand& buffer) { return static_cast<int64_t>(buffer.element_count()); }

GeluForm form_of(bool approximate) { return approximate ? GeluForm::kTanh : GeluForm::kErf; }

ffi::Error gelu_forward(ffi::ThreadPool pool, Operand x, Result y, bool approximate) {
  return run_handler([&] {
    with_float_type(x, "portatune.gelu", [&]<class T>(T) {
      require_array(*y, kDTypeOf<T>, size_of_all(x), "portatune.gelu", "a result like x");
      gelu(XlaWorkers(pool), form_of(approximate), size_of_all(x), data_of<const T>(x), data_of<T>(*y));
    });
  });
}

ffi::Error gelu_backward(ffi::ThreadPool pool, Operand x, Operand dy, Result dx, bool approximate) {
  return run_handler([&] {
    with_float_type(x, "portatune.gelu_grad", [&]<class T>(T) {
      require_array(dy, kDTypeOf<T>, size_of_all(x), "portatune.gelu_grad", "dy like x");
      require_array(*dx, kDTypeOf<T>, size_of_all(x), "portatune.gelu_grad", "a result like x");
      gelu_grad(XlaWorkers(pool), form_of(approximate), size_of_all(x), data_of<const T>(x), data_of<const T>(dy),
                data_of<T>(*dx));
    });
  });
}

ffi::Error dropout_forward(ffi::ThreadPool pool, Operand x, Operand key, Result y, float rate) {
  return run_handler([&] {
    require_array(key, DType::kUInt32, 2, "portatune.dropout", "a key uint32[2]");
    require(rate >= 0 && rate < 1, "portatune.dropout", "a rate in [0, 1)");
    with_float_type(x, "portatune.dropout", [&]<class T>(T) {
      require_array(*y, kDTypeOf<T>, size_of_all(x), "portatune.dropout", "a result like x");
      dropout(XlaWorkers(pool), DropoutMask(data_of<const uint32_t>(key), rate), size_of_all(x), data_of<const T>(x),
              data_of<T>(*y));
    });
  });
}

ffi::Error rotary_forward(ffi::ThreadPool pool, Operand x, Operand cos, Operand sin, Result y, int64_t heads) {
  return run_handler([&] {
    constexpr const char* kTarget = "portatune.rotary";
    const auto sizes = x.dimensions();
    require(sizes.size() == 3 && heads > 0 && sizes[2] % (2 * heads) == 0, kTarget,
            "x [batch, seq, heads * head_size] with an even head size");
    const RotaryShape shape{sizes[0], sizes[1], heads, sizes[2] / heads, cos.dimensions().size() == 3};
    const int64_t tables = shape.table_per_example ? shape.batch : 1, angles = tables * shape.seq * shape.head_size / 2;
    require_array(cos, DType::kFloat32, angles, kTarget, "cos float32[seq, head_size / 2], or that for each example");
    require_array(sin, DType::kFloat32, angles, kTarget, "sin like cos");
    with_float_type(x, kTarget, [&]<class T>(T) {
      require_array(*y, kDTypeOf<T>, size_of_all(x), kTarget, "a result like x");
      rotary(XlaWorkers(pool), shape, data_of<const T>(x), data_of<const float>(cos), data_of<const float>(sin),
             data_of<T>(*y));
    });
  });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_gelu, gelu_forward,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Ret<Operand>().Attr<bool>("approximate"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_gelu_grad, gelu_backward,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>().Attr<bool>("approximate"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_dropout, dropout_forward,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Ret<Operand>().Attr<float>("rate"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    portatune_rotary, rotary_forward,
    ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Operand>().Arg<Operand>().Arg<Operand>().Ret<Operand>().Attr<int64_t>(
        "heads"));

}  // namespace portatune::kernels
