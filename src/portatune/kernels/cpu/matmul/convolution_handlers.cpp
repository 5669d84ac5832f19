#include "portatune/kernels/cpu/handler.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/matmul/convolution.h"

namespace portatune::kernels {
namespace {

using Groups = Attribute<int64_t, "groups">;
using Low = Attribute<int64_t, "low">;

ConvolutionShape shape_of(const Operand& x, const Operand& filter, const Operand& y, int64_t groups, int64_t low) {
  const auto of_x = x.dimensions(), of_filter = filter.dimensions(), of_y = y.dimensions();
  require(of_x.size() == 3 && of_filter.size() == 3 && of_y.size() == 3, "x, filter and y of three axes");
  const ConvolutionShape shape{.batch = of_x[0],
                               .frames = of_x[1],
                               .out_frames = of_y[1],
                               .in = of_x[2],
                               .out = of_y[2],
                               .groups = groups,
                               .kernel = of_filter[2],
                               .low = low,
                               .type = dtype_of(x)};
  require(shape.type == DType::kFloat32 || shape.type == DType::kBFloat16, "float32 or bfloat16 activations");
  require(dtype_of(filter) == shape.type && dtype_of(y) == shape.type, "x, filter and y of one type");
  require(of_y[0] == shape.batch, "x and y of one batch");
  require(groups > 0 && shape.in % groups == 0 && shape.out % groups == 0, "features of equal groups");
  require(of_filter[0] == shape.out && of_filter[1] == shape.in_width(), "a filter [out, in / groups, kernel]");
  require(shape.batch > 0 && shape.frames > 0 && shape.out_frames > 0 && shape.kernel > 0, "sizes of at least 1");
  return shape;
}

void forward(XlaWorkers workers, Operand x, Operand filter, Result y, Groups groups, Low low) {
  const ConvolutionShape shape = shape_of(x, filter, *y, groups, low);
  convolution(workers, shape, x.untyped_data(), filter.untyped_data(), y->untyped_data());
}

void backward_filter(XlaWorkers workers, Operand x, Operand dy, Result dfilter, Groups groups, Low low) {
  const ConvolutionShape shape = shape_of(x, *dfilter, dy, groups, low);
  convolution_dfilter(workers, shape, x.untyped_data(), dy.untyped_data(), dfilter->untyped_data());
}

}  // namespace

std::vector<CpuKernel> convolution_kernels() {
  return {kernel<"portatune.convolution", forward>(), kernel<"portatune.convolution_dfilter", backward_filter>()};
}

}  // namespace portatune::kernels
