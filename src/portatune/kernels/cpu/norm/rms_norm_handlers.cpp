#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/norm/rms_norm.h"

namespace portatune::kernels {
namespace {

void forward(XlaWorkers workers, Operand x, F32Operand weight, Result y, F32Result rstd, Attribute<float, "eps"> eps,
             Attribute<bool, "rounds_first"> rounds_first) {
  const int64_t rows = leading_size(x), size = last_size(x);
  require(size_of(weight) == size, "a weight [size]");
  require(size_of(*rstd) == rows, "rstd of each row");
  require_like(*y, x, "a result like x");
  with_float_type(x, [&]<class T>(T) {
    rms_norm(workers, rows, size, {.eps = eps, .rounds_first = rounds_first}, data_of<const T>(x), weight.typed_data(),
             data_of<T>(*y), rstd->typed_data());
  });
}

void backward(XlaWorkers workers, Operand dy, Operand x, F32Operand weight, F32Operand rstd, Result dx,
              F32Result dweight) {
  const int64_t rows = leading_size(x), size = last_size(x);
  require(size_of(weight) == size && size_of(*dweight) == size, "a weight and dweight [size]");
  require(size_of(rstd) == rows, "rstd of each row");
  require_like(dy, x, "dy like x");
  require_like(*dx, x, "dx like x");
  with_float_type(x, [&]<class T>(T) {
    const RmsNormGradInputs<T> in{data_of<const T>(dy), data_of<const T>(x), weight.typed_data(), rstd.typed_data()};
    rms_norm_grad(workers, rows, size, in, data_of<T>(*dx), dweight->typed_data());
  });
}

}  // namespace

std::vector<CpuKernel> rms_norm_kernels() {
  return {kernel<"portatune.rms_norm", forward>(), kernel<"portatune.rms_norm_grad", backward>()};
}

}  // namespace portatune::kernels
