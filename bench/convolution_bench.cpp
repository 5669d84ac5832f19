// Forms of the convolutions of wav2vec2-base on the CPU, with their gradients:  convolution_bench [SECONDS [DTYPE]]
// Prints milliseconds and GFLOP/s of one convolution, best of six: of the positions (128 frames, 16 groups) with
// Portatune's kernels and without, and of the second convolution of the feature encoder as an op and as the product of
// windows.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "portatune/graph/matrix_flops.h"
#include "portatune/models/audio/windows.h"
#include "portatune/ops.h"
#include "portatune/portatune.h"

namespace portatune {
namespace {

using Form = std::function<Value(const Value& x, const Value& filter)>;

double seconds_of(const Program& program, const std::vector<DeviceArray*>& arguments) {
  const auto start = std::chrono::steady_clock::now();
  for (const DeviceArray& result : program.run(arguments)) result.to_host();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const Device& device, const char* name, const TensorType& x_type, const Shape& filter_shape,
             const Form& form) {
  const Value x = parameter("x", x_type), filter = parameter("filter", {DType::kFloat32, filter_shape});
  const Value y = sum(convert(form(x, filter), DType::kFloat32));
  const Values inputs{x, filter};
  Values results{y};
  for (const Value& gradient : gradients(y, inputs)) results.push_back(sum(convert(gradient, DType::kFloat32)));
  const Function function{.parameters = inputs, .results = results};
  const Program program = device.compile(function);
  Tensor filter_values({DType::kFloat32, filter_shape});
  for (size_t i = 0; i < filter_values.as<float>().size(); ++i) {
    filter_values.as<float>()[i] = static_cast<float>(i % 7) - 3;
  }
  DeviceArray x_array = device.put(Tensor(x_type)), filter_array = device.put(std::move(filter_values));
  double best = 1e9;
  for (int i = 0; i < 6; ++i) best = std::min(best, seconds_of(program, {&x_array, &filter_array}));
  double flops = 0;
  for (const auto& [dtype, count] : matrix_flops(function)) flops += count;
  std::printf("%-28s %8.1f ms  %7.1f GFLOP/s\n", name, best * 1e3, flops / best / 1e9);
}

void measure_all(double seconds, DType dtype) {
  const Device device, without_kernels({.use_kernels = false});
  const auto frames = static_cast<int64_t>(50 * seconds);
  const ConvolutionOptions positions{.axes = {{.low = 64, .high = 63}}, .groups = 16};
  const auto rounded = [&](const Value& filter) { return convert(filter, dtype); };
  const TensorType frames_type{dtype, {4, frames, 768}};
  const Form by_op = [&](const Value& x, const Value& filter) { return convolution(x, rounded(filter), positions); };
  measure(device, "positions, kernel", frames_type, {768, 48, 128}, by_op);
  measure(without_kernels, "positions, XLA", frames_type, {768, 48, 128}, by_op);
  const TensorType samples{dtype, {4, 64 * frames, 512}};
  measure(device, "stride 2, op", samples, {512, 512, 3}, [&](const Value& x, const Value& filter) {
    return convolution(x, rounded(filter), {.axes = {{.stride = 2}}});
  });
  measure(device, "stride 2, windows", samples, {512, 512, 3}, [&](const Value& x, const Value& filter) {
    return linear(models::windows(x, 3, 2), reshape(transpose(filter, {0, 2, 1}), {512, 3 * 512}));
  });
}

}  // namespace
}  // namespace portatune

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  const bool is_bfloat16 = argc > 2 && std::string(argv[2]) == "bfloat16";
  portatune::measure_all(seconds, is_bfloat16 ? portatune::DType::kBFloat16 : portatune::DType::kFloat32);
}
