#include <algorithm>
#include <iterator>
#include <limits>

#include "portune/error.h"
#include "portune/graph/checks.h"
#include "portune/nn.h"

namespace portune::nn {
namespace {

constexpr Initializer kZeros{Initializer::Kind::kZeros};
constexpr Initializer kOnes{Initializer::Kind::kOnes};

Initializer normal(const Scope& s, double scale = 1) {
  return {Initializer::Kind::kNormal, scale * s.options().initializer_range};
}

Value exact_gelu(const Value& x) { return gelu(x, GeluForm::kErf); }
Value tanh_gelu(const Value& x) { return gelu(x, GeluForm::kTanh); }
Value silu(const Value& x) { return x * logistic(x); }

struct Activation {
  std::string_view name;  // as transformers calls it
  Value (*apply)(const Value& x);
};
constexpr Activation kActivations[] = {
    {"gelu", exact_gelu},     {"gelu_new", tanh_gelu}, {"gelu_pytorch_tanh", tanh_gelu},
    {"gelu_fast", tanh_gelu}, {"relu", relu},          {"tanh", portune::tanh},
    {"silu", silu},           {"swish", silu},
};

// Runs `build`; an error from it says that it arose in this scope.
template <class Build>
Value in_scope(const Scope& s, Build build) {
  try {
    return build();
  } catch (Error& error) {
    error.set_context(s.path());
    throw;
  }
}

// The size of the axis that a layer works along.
int64_t last_size(std::string_view layer, const Value& x) {
  require(x.rank() > 0, layer, {&x, 1}, "an array [..., size]");
  return x.shape().back();
}

}  // namespace

Value linear(const Scope& s, const Value& x, int64_t size, const LinearOptions& options) {
  return in_scope(s, [&] {
    const Value weight = s.parameter("weight", {size, last_size("linear", x)}, normal(s, options.initializer_scale));
    return portune::linear(x, weight, options.bias ? s.parameter("bias", {size}, kZeros) : Value());
  });
}

Value conv1d(const Scope& s, const Value& x, int64_t size, const LinearOptions& options) {
  return in_scope(s, [&] {
    const Value weight = s.parameter("weight", {last_size("conv1d", x), size}, normal(s, options.initializer_scale));
    const Value y = matmul(x, weight);
    return options.bias ? y + convert(s.parameter("bias", {size}, kZeros), x.dtype()) : y;
  });
}

Value layer_norm(const Scope& s, const Value& x, double eps, const LayerNormOptions& options) {
  return in_scope(s, [&] {
    const Shape size{last_size("layer_norm", x)};
    const Value weight = s.parameter("weight", size, kOnes);
    const Value bias = options.bias ? s.parameter("bias", size, kZeros) : full({DType::kFloat32, size}, 0);
    return portune::layer_norm(x, weight, bias, eps);
  });
}

Value rms_norm(const Scope& s, const Value& x, double eps) {
  return in_scope(s,
                  [&] { return portune::rms_norm(x, s.parameter("weight", {last_size("rms_norm", x)}, kOnes), eps); });
}

Value embedding(const Scope& s, const Value& ids, int64_t rows, int64_t width, int64_t padding_id) {
  return in_scope(s, [&] {
    const Value x = gather_rows(s.parameter("weight", {rows, width}, normal(s)), ids);
    if (padding_id < 0) return convert(x, s.options().compute_dtype);
    const Value padding = compare(Direction::kEqual, ids, full(ids.type(), static_cast<double>(padding_id)));
    return convert(select(broadcast_to(expand_dims(padding, -1), x.shape()), stop_gradient(x), x),
                   s.options().compute_dtype);
  });
}

Value dropout(const Scope& s, const Value& x, double rate) {
  if (!s.options().training || rate == 0) return x;
  return in_scope(s, [&] { return portune::dropout(x, s.random_key(), rate); });
}

Value remat(const Scope& s, const Value& x, const Value& y) { return portune::remat(x, y, s.options().remat); }

Value attention(const Scope& s, const Value& q, const Value& k, const Value& v, const Value& mask,
                AttentionOptions options) {
  return in_scope(s, [&] {
    if (!s.options().training) options.dropout = 0;
    if (options.dropout > 0) options.key = s.random_key();
    return portune::attention(q, k, v, mask, options);
  });
}

Value activate(std::string_view name, const Value& x) {
  const auto* found = std::ranges::find(kActivations, name, &Activation::name);
  if (found != std::end(kActivations)) return found->apply(x);
  std::string known;
  for (const Activation& activation : kActivations) known += (known.empty() ? "" : ", ") + std::string(activation.name);
  throw UsageError({.where = "activation", .given = "\"" + std::string(name) + "\"", .expected = known});
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

}  // namespace portune::nn
