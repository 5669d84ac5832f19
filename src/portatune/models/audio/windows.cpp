#include "portatune/models/audio/windows.h"

#include <algorithm>

#include "portatune/graph/checks.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

// x with exactly this length: padded with zeros, or cut.
Value with_length(const Value& x, int64_t length) {
  const int64_t given = x.shape()[1];
  return given < length ? pad(x, 1, 0, length - given) : given > length ? slice(x, 1, {0, length}) : x;
}

}  // namespace

// x is cut into blocks of one stride. A window consists of some whole blocks and, if the kernel is no multiple of the
// stride, a part of a block.
Value windows(const Value& x, int64_t kernel, int64_t stride) {
  const Shape& shape = x.shape();
  require(shape.rank() == 3 && shape[1] >= kernel, "windows", {&x, 1},
          "an array [batch, length, features] of at least " + std::to_string(kernel) + " elements along its length");
  const int64_t batch = shape[0], features = shape[2], count = (shape[1] - kernel) / stride + 1;
  const int64_t blocks_of_window = (kernel + stride - 1) / stride, blocks = count + blocks_of_window - 1;
  const Value by_block = reshape(with_length(x, blocks * stride), {batch, blocks, stride * features});
  Values parts;
  for (int64_t i = 0; i < blocks_of_window; ++i) {
    const int64_t elements = std::min(stride, kernel - i * stride);
    parts.push_back(slice(slice(by_block, 1, {i, i + count}), 2, {0, elements * features}));
  }
  return parts.size() == 1 ? parts[0] : concatenate(parts, 2);
}

Value convolution_over_time(const nn::Scope& s, const Value& x, const ConvolutionLayer& layer) {
  const int64_t in = x.shape()[2], out = layer.features, kernel = layer.kernel;
  const nn::Initializer normal{nn::Initializer::Kind::kNormal, layer.stddev};
  const Value weight = s.rounded_parameter("weight", {out, in, kernel}, normal);
  const Value bias = layer.has_bias ? s.parameter("bias", {out}, layer.bias) : Value{};
  return linear(windows(x, kernel, layer.stride), reshape(transpose(weight, {0, 2, 1}), {out, kernel * in}), bias);
}

}  // namespace portatune::models
