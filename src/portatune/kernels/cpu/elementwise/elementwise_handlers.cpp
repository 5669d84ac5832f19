// Handlers of gelu, dropout and rotary.
#include "portatune/kernels/cpu/attention/rotary.h"
#include "portatune/kernels/cpu/elementwise/dropout.h"
#include "portatune/kernels/cpu/elementwise/gelu.h"
#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"

namespace portatune::kernels {
namespace {

using Approximate = Attribute<bool, "approximate">;

GeluForm form_of(bool approximate) { return approximate ? GeluForm::kTanh : GeluForm::kErf; }

void gelu_forward(XlaWorkers workers, Operand x, Result y, Approximate approximate) {
  require_like(*y, x, "a result like x");
  with_float_type(
      x, [&]<class T>(T) { gelu(workers, form_of(approximate), size_of(x), data_of<const T>(x), data_of<T>(*y)); });
}

void gelu_backward(XlaWorkers workers, Operand x, Operand dy, Result dx, Approximate approximate) {
  require_like(dy, x, "dy like x");
  require_like(*dx, x, "a result like x");
  with_float_type(x, [&]<class T>(T) {
    gelu_grad(workers, form_of(approximate), size_of(x), data_of<const T>(x), data_of<const T>(dy), data_of<T>(*dx));
  });
}

void dropout_forward(XlaWorkers workers, Operand x, U32Operand key, F32Operand rule, Result y) {
  require(size_of(key) == 2 && size_of(rule) == 2, "a key [2] and a dropout rule [2]");
  require_like(*y, x, "a result like x");
  const DropoutMask mask(key.typed_data(), rule.typed_data());
  with_float_type(x, [&]<class T>(T) { dropout(workers, mask, size_of(x), data_of<const T>(x), data_of<T>(*y)); });
}

void rotary_forward(XlaWorkers workers, Operand x, F32Operand cos, F32Operand sin, Result y,
                    Attribute<int64_t, "heads"> heads) {
  const auto sizes = x.dimensions();
  require(sizes.size() == 3 && heads > 0 && sizes[2] % heads == 0, "x [batch, seq, heads * head_size]");
  const RotaryShape shape{sizes[0], sizes[1], heads, sizes[2] / heads, cos.dimensions().size() == 3, last_size(cos)};
  require(2 * shape.pairs <= shape.head_size, "tables with at most head_size / 2 pairs");
  const int64_t tables = shape.table_per_example ? shape.batch : 1, angles = tables * shape.seq * shape.pairs;
  require(size_of(cos) == angles, "cos [seq, pairs], or that for each example");
  require(size_of(sin) == angles, "sin like cos");
  require_like(*y, x, "a result like x");
  with_float_type(x, [&]<class T>(T) {
    rotary(workers, shape, data_of<const T>(x), cos.typed_data(), sin.typed_data(), data_of<T>(*y));
  });
}

}  // namespace

std::vector<CpuKernel> elementwise_kernels() {
  return {kernel<"portatune.gelu", gelu_forward>(), kernel<"portatune.gelu_grad", gelu_backward>(),
          kernel<"portatune.dropout", dropout_forward>(), kernel<"portatune.rotary", rotary_forward>()};
}

}  // namespace portatune::kernels
