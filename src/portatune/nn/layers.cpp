#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "portatune/error.h"
#include "portatune/graph/checks.h"
#include "portatune/nn.h"
#include "portatune/nn/adapted_layers.h"

namespace portatune::nn {
namespace {

constexpr Initializer kZeros{Initializer::Kind::kZeros};
constexpr Initializer kOnes{Initializer::Kind::kOnes};

Initializer normal(const Scope& s, double scale = 1) {
  return {Initializer::Kind::kNormal, scale * s.options().initializer_range};
}

Initializer of_linear(const Scope& s, const LinearOptions& options) {
  Initializer initializer = normal(s, options.initializer_scale);
  initializer.cutoff = options.initializer_cutoff;
  return initializer;
}

Initializer of_embedding(const Scope& s, int64_t padding_id, const std::optional<Initializer>& given) {
  Initializer initializer = given.value_or(normal(s));
  if (!given) initializer.zero_row = padding_id;
  return initializer;
}

Value exact_gelu(const Value& x) { return gelu(x, GeluForm::kErf); }
Value tanh_gelu(const Value& x) { return gelu(x, GeluForm::kTanh); }
Value quick_gelu(const Value& x) { return x * logistic(x * 1.702); }
Value silu(const Value& x) { return x * logistic(x); }
Value squared_relu(const Value& x) { return relu(x) * relu(x); }
Value identity(const Value& x) { return x; }

struct Activation {
  std::string_view name;  // name in transformers
  Value (*apply)(const Value& x);
};
constexpr Activation kActivations[] = {
    {"gelu", exact_gelu},
    {"gelu_python", exact_gelu},
    {"gelu_new", tanh_gelu},
    {"gelu_fast", tanh_gelu},
    {"gelu_accurate", tanh_gelu},
    {"gelu_python_tanh", tanh_gelu},
    {"quick_gelu", quick_gelu},
    {"gelu_pytorch_tanh", tanh_gelu},
    {"relu", relu},
    {"relu2", squared_relu},
    {"sigmoid", logistic},
    {"tanh", portatune::tanh},
    {"silu", silu},
    {"swish", silu},
    {"linear", identity},
};

// Runs `build` and adds this scope to its errors.
template <class Build>
Value in_scope(const Scope& s, Build build) {
  try {
    return build();
  } catch (Error& error) {
    error.set_context(s.path());
    throw;
  }
}

void require_features(std::string_view layer, const Value& x) {
  require(x.rank() > 0, layer, {&x, 1}, "an array [..., size]");
}

// The size of the last axis, along which layers work.
int64_t last_size(std::string_view layer, const Value& x) {
  require_features(layer, x);
  return x.shape().back();
}

// Chooses each row of x or y [ids..., width] by its condition.
Value where(const Value& condition, const Value& x, const Value& y) {
  return select(broadcast_to(expand_dims(condition, -1), x.shape()), x, y);
}

// x without a gradient to the row of padding_id; -1: with gradients to all rows.
Value without_gradient_of(int64_t padding_id, const Value& ids, const Value& x) {
  if (padding_id < 0) return x;
  const Value is_padding = compare(Direction::kEqual, ids, full(ids.type(), static_cast<double>(padding_id)));
  return where(is_padding, stop_gradient(x), x);
}

// The random key for a device's part of an array that the devices along tensor share. The parts, of `size` elements
// each, are numbered one after the other.
Value key_of_part(const Scope& s, int64_t size) {
  const Mesh& mesh = s.options().mesh;
  const Value key = s.random_key();
  if (mesh.tensor == 1) return key;
  const Value index = convert(place_of_device(mesh, {MeshAxis::kTensor}), DType::kUInt32);
  return key_from(key, index * full({DType::kUInt32, {}}, static_cast<double>(static_cast<uint32_t>(size))));
}

bool is_parallel(const Scope& s, const LinearOptions& options, Parallel parallel) {
  return options.parallel == parallel && s.options().mesh.tensor > 1;
}

// A weight [y features, x features] or the reverse, for a product that rounds it to the type of x.
Value product_weight(const Scope& s, const Value& x, const Shape& shape, const Initializer& initializer,
                     const std::optional<Split>& split) {
  if (x.dtype() != s.options().compute_dtype) return s.parameter("weight", shape, initializer, split);
  return s.rounded_parameter("weight", shape, initializer, split);
}

// The weight of a linear layer, with the features of x along x_axis and those of y along the other axis.
struct LinearWeight {
  Value value;
  int64_t x_axis;

  Value product(const Value& x) const { return x_axis == 1 ? portatune::linear(x, value) : matmul(x, value); }
};

LinearWeight linear_weight(const Scope& s, const Value& x, int64_t y_features, int64_t x_axis,
                           const LinearOptions& options) {
  int64_t x_features = x.shape().back();
  const bool in_columns = is_parallel(s, options, Parallel::kColumn), in_rows = is_parallel(s, options, Parallel::kRow);
  if (in_columns) share(s, "features", y_features / options.blocks);
  if (in_rows) x_features *= s.options().mesh.tensor;
  Shape shape{y_features, y_features};
  shape[x_axis] = x_features;
  std::optional<Split> split;
  if (in_columns) split = {.axis = 1 - x_axis, .blocks = options.blocks};
  if (in_rows) split = {.axis = x_axis};
  return {product_weight(s, x, shape, of_linear(s, options), split), x_axis};
}

Value linear_bias(const Scope& s, int64_t size, const LinearOptions& options) {
  if (!options.bias) return {};
  std::optional<Split> split;
  if (is_parallel(s, options, Parallel::kColumn)) split = {.blocks = options.blocks};
  return s.parameter("bias", {size}, kZeros, split);
}

// The sum of y over the devices along tensor.
Value sum_of_devices(const Scope& s, const Value& y) { return all_reduce(y, s.options().mesh, {MeshAxis::kTensor}); }

// The adapter of a layer on a device.
struct Adapter {
  Value a, b;       // float32 [rank, in], [out, rank]
  Value magnitude;  // float32 [out]; absent without DoRA
  double scale;
};

std::optional<Adapter> adapter_of(const Scope& s, const LinearWeight& weight, const Value& x, int64_t size,
                                  const LinearOptions& options) {
  const std::optional<AdaptedLayer> layer =
      s.options().lora ? adapted_layer(*s.options().lora, s.path()) : std::nullopt;
  if (!layer) return std::nullopt;
  const bool in_columns = is_parallel(s, options, Parallel::kColumn), in_rows = is_parallel(s, options, Parallel::kRow);
  const int64_t features = x.shape().back() * (in_rows ? s.options().mesh.tensor : 1);
  const std::optional<Split> split_a = in_rows ? std::optional(Split{.axis = 1}) : std::nullopt;
  const std::optional<Split> split_b = in_columns ? std::optional(Split{.blocks = options.blocks}) : std::nullopt;
  // Between +-1 / sqrt(features), as in PEFT.
  const Initializer uniform{Initializer::Kind::kUniform, 1 / std::sqrt(3.0 * static_cast<double>(features))};
  Adapter adapter{.a = product_weight(s / kLoraA, x, {layer->rank, features}, uniform, split_a),
                  .b = product_weight(s / kLoraB, x, {size, layer->rank}, kZeros, split_b),
                  .magnitude = {},
                  .scale = layer->scale};
  if (s.options().lora->use_dora) {
    const Initializer norms{.kind = Initializer::Kind::kNorms, .axis = weight.x_axis};
    adapter.magnitude = s.parameter(kMagnitude, {size}, norms, split_b);
  }
  return adapter;
}

// The norms of the weights of each feature of y, of W + scale B A, float32 [out]. They are constants in gradients.
Value norms_of(const Scope& s, const LinearWeight& weight, const Adapter& adapter, const LinearOptions& options) {
  const Value &a = adapter.a, &b = adapter.b;
  const Value change = weight.x_axis == 1 ? matmul(b, a) : matmul(transpose(a, {1, 0}), transpose(b, {1, 0}));
  const Value sum_of_both = weight.value + change * adapter.scale;
  const Value squares = sum(sum_of_both * sum_of_both, {weight.x_axis});
  return stop_gradient(sqrt(is_parallel(s, options, Parallel::kRow) ? sum_of_devices(s, squares) : squares));
}

// y, the product of x and the weight, with what the adapter of the layer adds. For kRow both are parts, which
// sum_of_devices() adds up. With DoRA, y is without the bias.
Value with_adapter(const Scope& s, const Value& x, const Value& y, const LinearWeight& weight,
                   const std::optional<Adapter>& adapter, const LinearOptions& options) {
  if (!adapter) return y;
  const Scope drop = s / "lora_dropout";
  const double rate = s.options().lora->dropout;
  const bool has_part = options.parallel == Parallel::kRow;  // on any mesh, so that all meshes drop the same elements
  const Value dropped = has_part ? dropout_of_part(drop, x, rate) : dropout(drop, x, rate);
  const Value change = portatune::linear(portatune::linear(dropped, adapter->a) * adapter->scale, adapter->b);
  if (!adapter->magnitude) return y + change;
  const Value factor = adapter->magnitude / norms_of(s, weight, *adapter, options);
  const Value product = dropped == x ? y : weight.product(dropped);
  const auto in_float32 = [](const Value& part) { return convert(part, DType::kFloat32); };  // as in PEFT
  const Value sum = in_float32(y) + (factor - 1.0) * in_float32(product) + factor * in_float32(change);
  return convert(sum, y.dtype());
}

Value plus(const Value& y, const Value& bias) { return bias ? y + convert(bias, y.dtype()) : y; }

}  // namespace

LinearOptions columns(LinearOptions options, int64_t blocks) {
  options.parallel = Parallel::kColumn;
  options.blocks = blocks;
  return options;
}

LinearOptions rows(LinearOptions options) {
  options.parallel = Parallel::kRow;
  return options;
}

Value linear(const Scope& s, const Value& x, int64_t size, const LinearOptions& options) {
  return in_scope(s, [&] {
    require_features("linear", x);
    const LinearWeight weight = linear_weight(s, x, size, 1, options);
    const Value bias = linear_bias(s, size, options);
    const std::optional<Adapter> adapter = adapter_of(s, weight, x, size, options);
    const bool in_rows = is_parallel(s, options, Parallel::kRow);
    if (!in_rows && !(adapter && adapter->magnitude)) {
      return with_adapter(s, x, portatune::linear(x, weight.value, bias), weight, adapter, options);
    }
    const Value y = with_adapter(s, x, weight.product(x), weight, adapter, options);
    return plus(in_rows ? sum_of_devices(s, y) : y, bias);
  });
}

Value conv1d(const Scope& s, const Value& x, int64_t size, const LinearOptions& options) {
  return in_scope(s, [&] {
    require_features("conv1d", x);
    const LinearWeight weight = linear_weight(s, x, size, 0, options);
    const std::optional<Adapter> adapter = adapter_of(s, weight, x, size, options);
    const Value y = with_adapter(s, x, weight.product(x), weight, adapter, options);
    return plus(is_parallel(s, options, Parallel::kRow) ? sum_of_devices(s, y) : y, linear_bias(s, size, options));
  });
}

Value layer_norm(const Scope& s, const Value& x, double eps, const LayerNormOptions& options) {
  return in_scope(s, [&] {
    const Shape size{last_size("layer_norm", x)};
    const Value weight = s.parameter("weight", size, kOnes);
    const Value bias = options.bias ? s.parameter("bias", size, kZeros) : full({DType::kFloat32, size}, 0);
    return portatune::layer_norm(x, weight, bias, eps);
  });
}

Value rms_norm(const Scope& s, const Value& x, double eps, const RmsNormOptions& options) {
  return in_scope(s, [&] {
    const Shape size{last_size("rms_norm", x)};
    if (!options.unit_offset) return portatune::rms_norm(x, s.parameter("weight", size, kOnes), eps);
    return portatune::rms_norm(x, s.parameter("weight", size, kZeros) + 1.0, eps, RmsNormRounding::kNone);
  });
}

Value embedding(const Scope& s, const Value& ids, int64_t rows, int64_t width, int64_t padding_id,
                const std::optional<Initializer>& initializer) {
  return in_scope(s, [&] {
    const Value x =
        gather_rows(s.rounded_parameter("weight", {rows, width}, of_embedding(s, padding_id, initializer)), ids);
    return convert(without_gradient_of(padding_id, ids, x), s.options().compute_dtype);
  });
}

Value word_embedding(const Scope& s, const Value& ids, int64_t vocab_size, int64_t width, int64_t padding_id,
                     const std::optional<Initializer>& initializer) {
  const Mesh& mesh = s.options().mesh;
  const std::optional<Split> split = vocabulary_split(s, vocab_size);
  if (mesh.tensor == 1 || !split) return embedding(s, ids, vocab_size, width, padding_id, initializer);
  return in_scope(s, [&] {
    const Value table =
        s.rounded_parameter("weight", {vocab_size, width}, of_embedding(s, padding_id, initializer), split);
    const auto count = static_cast<double>(table.shape()[0]);
    const Value row = ids - place_of_device(mesh, {MeshAxis::kTensor}) * count;
    const Value zero = full({DType::kInt32, {}}, 0), end = full({DType::kInt32, {}}, count);
    const Value is_here =
        bitwise_and(compare(Direction::kGreaterEqual, row, zero), compare(Direction::kLess, row, end));
    const Value found = without_gradient_of(padding_id, ids, gather_rows(table, row));
    const Value x = where(is_here, found, full({found.dtype(), {}}, 0));
    return sum_of_devices(s, convert(x, s.options().compute_dtype));  // all devices except one have zeros
  });
}

Value dropout(const Scope& s, const Value& x, double rate) {
  if (!s.options().training || rate == 0) return x;
  return in_scope(s, [&] { return portatune::dropout(x, s.random_key(), s.dropout_rule(rate)); });
}

Value dropout_of_part(const Scope& s, const Value& x, double rate) {
  if (!s.options().training || rate == 0) return x;
  return in_scope(s, [&] {
    // With the features as the first axis, a device's part is contiguous in the whole array.
    const Value by_features = transpose(reshape(x, {-1, last_size("dropout", x)}), {1, 0});
    const Value key = key_of_part(s, x.shape().elements());
    const Value dropped = portatune::dropout(by_features, key, s.dropout_rule(rate));
    return reshape(transpose(dropped, {1, 0}), x.shape());
  });
}

Value remat(const Scope& s, const Value& x, const Value& y) { return portatune::remat(x, y, s.options().remat); }

Value attention(const Scope& s, const Value& q, const Value& k, const Value& v, const Value& mask,
                AttentionOptions options) {
  return in_scope(s, [&] {
    if (!s.options().training) options.dropout = 0;
    if (options.dropout > 0) {
      const bool has_part = options.dropout_heads != options.heads;
      options.key = has_part ? key_of_part(s, options.heads * q.shape()[1] * k.shape()[1]) : s.random_key();
      options.dropout_rule = s.dropout_rule(options.dropout);
    }
    return portatune::attention(q, k, v, mask, options);
  });
}

Value activate(std::string_view name, const Value& x) {
  const auto* found = std::ranges::find(kActivations, name, &Activation::name);
  if (found != std::end(kActivations)) return found->apply(x);
  throw UsageError({.where = "activation", .given = "\"" + std::string(name) + "\"", .expected = known_activations()});
}

std::string known_activations() {
  std::string known;
  for (const Activation& activation : kActivations) known += (known.empty() ? "" : ", ") + std::string(activation.name);
  return known;
}

bool is_activation(std::string_view name) {
  return std::ranges::find(kActivations, name, &Activation::name) != std::end(kActivations);
}

Value first_token(const Value& x) {
  require(x.rank() == 3, "first_token", {&x, 1}, "an array [batch, seq, hidden]");
  return reshape(slice(x, 1, {0, 1}), {x.shape()[0], x.shape()[2]});
}

Value attention_bias(const Value& mask) {
  const Value hidden = compare(Direction::kEqual, mask, full(mask.type(), 0));
  const TensorType type{DType::kFloat32, mask.shape()};
  const Value bias = select(hidden, full(type, std::numeric_limits<float>::lowest()), full(type, 0));
  return reshape(bias, {mask.shape()[0], 1, 1, mask.shape()[1]});
}

}  // namespace portatune::nn
