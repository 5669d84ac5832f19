#include "portatune/models/audio/wav2vec2_adapters.h"

#include <cmath>
#include <string>

#include "portatune/error.h"
#include "portatune/models/audio/initializers.h"
#include "portatune/models/audio/windows.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr double kAdapterEps = 1e-5;  // of norms, which config.json does not set

// A convolution over frames with one of zeros at each end, and a gate for each feature.
Value gated_convolution(const Scope& s, const AdapterFields& c, const Value& x) {
  const int64_t size = x.shape()[2];
  const auto fan_in = static_cast<double>(size * c.kernel_size);
  const Value y = convolution_over_time(s / "conv", pad(x, 1, 1, 1),
                                        {.features = 2 * size,
                                         .kernel = c.kernel_size,
                                         .stride = c.stride,
                                         .stddev = std::sqrt(2 / fan_in),
                                         .bias = uniform_between(-1 / std::sqrt(fan_in), 1 / std::sqrt(fan_in))});
  return slice(y, 2, {0, size}) * logistic(slice(y, 2, {size, 2 * size}));
}

}  // namespace

std::optional<AdapterFields> adapter_fields(const ConfigReader& config) {
  if (!config.get_bool_or("add_adapter", false)) {
    config.ignore({"adapter_kernel_size", "adapter_stride", "num_adapter_layers", "output_hidden_size"});
    return std::nullopt;
  }
  AdapterFields c{.output_hidden_size = config.get_int("hidden_size", kSize)};
  // With wider kernels there are fewer frames than transformers counts.
  constexpr io::IntRange kKernels{1, 3};
  config.read("adapter_kernel_size", c.kernel_size, kKernels);
  config.read("adapter_stride", c.stride, kSize);
  config.read("num_adapter_layers", c.num_layers, kLayers);
  config.read("output_hidden_size", c.output_hidden_size, kSize);
  return c;
}

Value adapter(const Scope& s, const AdapterFields& c, const Value& x) {
  Value h = x;
  if (c.output_hidden_size != x.shape()[2]) {
    h = layer_norm(s / "proj_layer_norm", linear(s / "proj", x, c.output_hidden_size), kAdapterEps);
  }
  for (int64_t i = 0; i < c.num_layers; ++i) {
    h = gated_convolution(s / "layers" / std::to_string(i), c, h);  // not one of the layers that Scope counts
  }
  return h;
}

void require_no_adapter(const AudioModelFacts& facts, const std::string& head) {
  if (facts.adapter_strides.empty()) return;
  throw UsageError({.where = "model",
                    .given = head + " with a " + facts.class_prefix + " checkpoint that has add_adapter in config.json",
                    .expected = "a model without an adapter behind the encoder, as transformers requires for this head",
                    .fix = "train the model without it: --config-overrides add_adapter=false"});
}

Value language_adapter(const Scope& s, int64_t size, const Value& x) {
  const Value normed = layer_norm(s / "norm", x, kAdapterEps);
  return linear(s / "linear_2", relu(linear(s / "linear_1", normed, size)), x.shape()[2]);
}

}  // namespace portatune::models
