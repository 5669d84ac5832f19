#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/matmul/linear.h"

namespace portatune::kernels {
namespace {

LinearShape shape_of(const Operand& x, const Operand& w, const Operand& y) {
  const LinearShape shape{
      .rows = leading_size(x), .in = last_size(x), .out = last_size(y), .type = dtype_of(x), .bias_type = dtype_of(x)};
  require(shape.type == DType::kFloat32 || shape.type == DType::kBFloat16, "float32 or bfloat16 activations");
  require(leading_size(y) == shape.rows, "x and y with the same number of rows");
  require(leading_size(w) == shape.out && last_size(w) == shape.in, "a weight [out, in]");
  require(shape.rows > 0 && shape.in > 0 && shape.out > 0, "sizes of at least 1");
  return shape;
}

void forward(XlaWorkers workers, Operand x, Operand w, Operand bias, Result y) {
  LinearShape shape = shape_of(x, w, *y);
  shape.bias_type = dtype_of(bias);
  require(dtype_of(w) == shape.type && dtype_of(*y) == shape.type, "x, w and y of one type");
  require(last_size(bias) == shape.out && leading_size(bias) == 1, "a bias [out]");
  require(shape.bias_type == shape.type || shape.bias_type == DType::kFloat32, "a bias of float32 or of the type of x");
  linear(workers, shape, x.untyped_data(), w.untyped_data(), bias.untyped_data(), y->untyped_data());
}

void forward_no_bias(XlaWorkers workers, Operand x, Operand w, Result y) {
  const LinearShape shape = shape_of(x, w, *y);
  require(dtype_of(w) == shape.type && dtype_of(*y) == shape.type, "x, w and y of one type");
  linear(workers, shape, x.untyped_data(), w.untyped_data(), nullptr, y->untyped_data());
}

void backward_x(XlaWorkers workers, Operand dy, Operand w, Result dx) {
  const LinearShape shape = shape_of(*dx, w, dy);
  require(dtype_of(w) == shape.type && dtype_of(dy) == shape.type, "dy, w and dx of one type");
  linear_dx(workers, shape, dy.untyped_data(), w.untyped_data(), dx->untyped_data());
}

void backward_w(XlaWorkers workers, Operand dy, Operand x, Result dw, F32Result db) {
  const LinearShape shape = shape_of(x, *dw, dy);
  require(dtype_of(dy) == shape.type, "dy and x of one type");
  require(dtype_of(*dw) == DType::kFloat32 && last_size(*db) == shape.out, "dw float32[out, in] and db [out]");
  linear_dw(workers, shape, dy.untyped_data(), x.untyped_data(), data_of<float>(*dw), db->typed_data());
}

}  // namespace

std::vector<CpuKernel> linear_kernels() {
  return {kernel<"portatune.linear", forward>(), kernel<"portatune.linear_no_bias", forward_no_bias>(),
          kernel<"portatune.linear_dx", backward_x>(), kernel<"portatune.linear_dw", backward_w>()};
}

}  // namespace portatune::kernels
