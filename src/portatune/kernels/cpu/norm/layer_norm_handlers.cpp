#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/norm/layer_norm.h"

namespace portatune::kernels {
namespace {

void forward(XlaWorkers workers, Operand x, F32Operand gamma, F32Operand beta, Result y, F32Result mean, F32Result rstd,
             Attribute<float, "eps"> eps) {
  const int64_t rows = leading_size(x), size = last_size(x);
  require(size_of(gamma) == size && size_of(beta) == size, "gamma and beta [size]");
  require(size_of(*mean) == rows && size_of(*rstd) == rows, "mean and rstd of each row");
  require_like(*y, x, "a result like x");
  with_float_type(x, [&]<class T>(T) {
    layer_norm(workers, rows, size, eps, data_of<const T>(x), gamma.typed_data(), beta.typed_data(), data_of<T>(*y),
               mean->typed_data(), rstd->typed_data());
  });
}

void backward(XlaWorkers workers, Operand dy, Operand x, F32Operand gamma, F32Operand mean, F32Operand rstd, Result dx,
              F32Result dgamma, F32Result dbeta) {
  const int64_t rows = leading_size(x), size = last_size(x);
  require(size_of(gamma) == size, "gamma [size]");
  require(size_of(mean) == rows && size_of(rstd) == rows, "mean and rstd of each row");
  require(size_of(*dgamma) == size && size_of(*dbeta) == size, "dgamma and dbeta [size]");
  require_like(dy, x, "dy like x");
  require_like(*dx, x, "dx like x");
  with_float_type(x, [&]<class T>(T) {
    const LayerNormGradInputs<T> in{data_of<const T>(dy), data_of<const T>(x), gamma.typed_data(), mean.typed_data(),
                                    rstd.typed_data()};
    layer_norm_grad(workers, rows, size, in, data_of<T>(*dx), dgamma->typed_data(), dbeta->typed_data());
  });
}

}  // namespace

std::vector<CpuKernel> layer_norm_kernels() {
  return {kernel<"portatune.layer_norm", forward>(), kernel<"portatune.layer_norm_grad", backward>()};
}

}  // namespace portatune::kernels
