#include "portatune/models/grow/wider_tensor.h"

#include <cmath>
#include <vector>

#include "portatune/base/random_normal.h"

namespace portatune::grow {
namespace {

double standard_deviation(std::span<const float> values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// An array of a float type.
Tensor in_type(const TensorType& type, std::span<const float> values) {
  Tensor tensor(type);
  const auto fill = [&]<class T>(std::span<T> elements, auto convert) {
    for (size_t i = 0; i < values.size(); ++i) elements[i] = convert(values[i]);
  };
  const auto bits = [&] { return std::span(reinterpret_cast<uint16_t*>(tensor.data()), values.size()); };
  if (type.dtype == DType::kFloat32) fill(tensor.as<float>(), [](float x) { return x; });
  if (type.dtype == DType::kFloat64) fill(tensor.as<double>(), [](float x) { return double{x}; });
  if (type.dtype == DType::kBFloat16) fill(bits(), to_bfloat16);
  if (type.dtype == DType::kFloat16) fill(bits(), to_float16);
  return tensor;
}

}  // namespace

TensorType wider_type(TensorType type, const Tiling& tiling) {
  type.shape[tiling.axis] *= tiling.copies;
  return type;
}

Tensor wider_tensor(const TensorView& tensor, const Tiling& tiling, const CopyNoise& noise) {
  const std::vector<float> values = to_floats(tensor);
  const double divisor = tiling.divides ? static_cast<double>(tiling.copies) : 1;
  const double deviation = noise.deviation == 0 ? 0 : noise.deviation * standard_deviation(values) / divisor;
  const TensorType type = wider_type(tensor.type, tiling);
  // The axes are [outer, kernels, block], where a block holds the features of a kernel and all inner axes.
  int64_t outer = 1;
  for (int64_t axis = 0; axis < tiling.axis; ++axis) outer *= tensor.type.shape[axis];
  const int64_t block = std::ssize(values) / (outer * tiling.kernels);
  std::vector<float> wide(static_cast<size_t>(type.shape.elements()));
  size_t next = 0;
  for (int64_t i = 0; i < outer * tiling.kernels; ++i) {
    for (int64_t copy = 0; copy < tiling.copies; ++copy) {
      for (int64_t j = 0; j < block; ++j, ++next) {
        const double value = values[static_cast<size_t>(i * block + j)] / divisor;
        const double change = copy == 0 || deviation == 0 ? 0 : deviation * normal(noise.key, next);
        wide[next] = static_cast<float>(value + change);
      }
    }
  }
  return in_type(type, wide);
}

Tensor filled(const TensorType& type, double value) {
  return in_type(type, std::vector(static_cast<size_t>(type.shape.elements()), static_cast<float>(value)));
}

}  // namespace portatune::grow
