#include "portatune/models/colors/axial_layers.h"

#include <cmath>
#include <utility>

#include "portatune/models/relative_positions.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Initializer;
using nn::Scope;

constexpr double kKerasEpsilon = 1e-3;

// Deviation by Glorot and Bengio 2010, for numbers of inputs and outputs of a layer.
double glorot_deviation(int64_t inputs, int64_t outputs) {
  return std::sqrt(2.0 / static_cast<double>(inputs + outputs));
}

Value linear_with_deviation(const Scope& s, const Value& x, int64_t size, bool bias, double deviation) {
  return linear(s, x, size, {.bias = bias, .initializer_scale = deviation / s.options().initializer_range});
}

// Keras takes the first axes of a kernel with three axes for those of a convolution, and so gets other numbers of
// inputs and outputs than the layer has.
Value heads_projection(const Scope& s, const Value& x, int64_t heads, int64_t head_size) {
  const int64_t inputs = x.shape().back();
  const double deviation = glorot_deviation(inputs * heads, inputs * head_size);
  return linear_with_deviation(s, x, heads * head_size, false, deviation);
}

Value projection_of_heads(const Scope& s, const Value& x, int64_t heads, int64_t size) {
  const int64_t head_size = x.shape().back() / heads;
  return linear_with_deviation(s, x, size, false, glorot_deviation(heads * head_size, heads * size));
}

Value conditional_activation(const std::string& name, const Value& x) {
  if (name == "identity") return x;
  return name == "sigmoid" ? logistic(x) : nn::activate(name, x);
}

// The two halves of the last axis.
std::pair<Value, Value> two_halves(const Value& x) {
  const int64_t size = x.shape().back() / 2;
  return {slice(x, -1, {0, size}), slice(x, -1, {size, 2 * size})};
}

// Queries, keys or values, scaled and shifted by functions of the context: one linear layer has for each head the
// scales, then the shifts.
Value conditioned_heads(const Scope& s, const ColTranConfig& c, const Value& x, const LayerContext& context) {
  const int64_t head_size = c.hidden_size / c.num_heads;
  if (!context.conditions.cond_att_scale) {
    return x + heads_projection(s, context.of_pixels, c.num_heads, head_size);
  }
  Shape by_head = x.shape();
  by_head[by_head.rank() - 1] = c.num_heads;
  by_head.push_back(2 * head_size);
  const auto [scale, shift] =
      two_halves(reshape(heads_projection(s, context.of_pixels, c.num_heads, 2 * head_size), by_head));
  const auto activated = [&](const Value& y) {
    return conditional_activation(context.conditions.cond_att_act, reshape(y, x.shape()));
  };
  return x * activated(scale) + activated(shift);
}

// The results of an MLP, shifted and scaled by functions of the context: one linear layer has the shifts, then the
// scales.
Value conditioned_mlp(const Scope& s, const Value& x, const LayerContext& context) {
  const ColTranConditions& c = context.conditions;
  const int64_t size = x.shape().back();
  if (c.cond_mlp == "none") return x;
  if (c.cond_mlp == "shift") return x + glorot_linear(s / "shift", context.of_pixels, size, true);
  const auto [shift, scale] = two_halves(glorot_linear(s / "affine", context.of_pixels, 2 * size, true));
  return x * conditional_activation(c.cond_mlp_act, scale) + conditional_activation(c.cond_mlp_act, shift);
}

// The average over a picture, [batch, 1, 1, size], computed in float32.
Value picture_average(const Scope& s, const ColTranConditions& c, const Value& x) {
  Value pixels = convert(x, DType::kFloat32);
  if (c.cond_ln_sp_ave == "learnable") {
    const Shape shape{1, x.shape()[1], x.shape()[2], 1};
    pixels = pixels * s.parameter("spatial_average", shape, {Initializer::Kind::kOnes});
  }
  return convert(mean(pixels, {1, 2}, ReducedAxes::kKeep), x.dtype());
}

// Layer normalisation with one scale and one shift for a channel of a picture, functions of the context.
Value conditional_norm(const Scope& s, const Value& x, const LayerContext& context) {
  const ColTranConditions& c = context.conditions;
  const int64_t size = x.shape().back();
  Value y = context.of_picture;
  if (c.cond_ln_seq == "sc") y = picture_average(s, c, y);
  y = glorot_linear(s / "channel_dense", y, 2 * size, true);
  if (c.cond_ln_seq == "cs") y = picture_average(s, c, y);
  const auto [scale, shift] = two_halves(y);
  const TensorType vector{DType::kFloat32, {size}};
  const Value normalised = layer_norm(x, full(vector, 1), full(vector, 0), kKerasEpsilon);
  return normalised * conditional_activation(c.cond_ln_act, scale) + conditional_activation(c.cond_ln_act, shift);
}

// What ends a block: dropout, x added, and a norm.
Value axial_block_end(const Scope& s, const ColTranConfig& c, const Value& x, const Value& y,
                      const std::optional<LayerContext>& context) {
  const Value sum = x + dropout(s, y, c.dropout);
  const bool is_conditional = context && context->conditions.cond_ln;
  return is_conditional ? conditional_norm(s / "norm", sum, *context) : keras_layer_norm(s / "norm", sum);
}

// [batch, height, width, size] as lines, [batch * lines, pixels, size].
Value lines_of(const Value& x, Line line) {
  const Value by_line = line == Line::kRow ? x : transpose(x, {0, 2, 1, 3});
  return reshape(by_line, {-1, by_line.shape()[2], by_line.shape()[3]});
}

// The inverse of lines_of().
Value picture_of(const Value& lines, Line line, const Shape& shape) {
  if (line == Line::kRow) return reshape(lines, shape);
  return transpose(reshape(lines, {shape[0], shape[2], shape[1], shape[3]}), {0, 2, 1, 3});
}

// The learned bias of a query and a key by their distance, [1, heads, side, side].
Value bias_by_distance(const Scope& s, int64_t heads, int64_t side) {
  const Value weight = s.parameter("relative_bias", {heads, 2 * side}, {Initializer::Kind::kZeros});
  return expand_dims(toeplitz(slice(weight, 1, {0, 2 * side - 1}), side, side), 0);
}

Value axial_attention(const Scope& s, const ColTranConfig& c, const Value& x, Line line, bool hides_later,
                      const std::optional<LayerContext>& context) {
  const int64_t head_size = c.hidden_size / c.num_heads;
  const auto heads = [&](const char* name, const char* condition, bool ColTranConditions::*is_conditioned) {
    Value y = heads_projection(s / name, x, c.num_heads, head_size);
    if (context && context->conditions.*is_conditioned) y = conditioned_heads(s / condition, c, y, *context);
    return lines_of(y, line);
  };
  const Value q = heads("q", "cond_q", &ColTranConditions::cond_att_q);
  const Value k = heads("k", "cond_k", &ColTranConditions::cond_att_k);
  const Value v = heads("v", "cond_v", &ColTranConditions::cond_att_v);
  AttentionOptions options{.heads = c.num_heads, .scale = 1 / std::sqrt(static_cast<double>(head_size))};
  if (hides_later) options.band.after = 0;
  const Value attended = attention(q, k, v, bias_by_distance(s, c.num_heads, q.shape()[1]), options);
  return projection_of_heads(s / "output", picture_of(attended, line, x.shape()), c.num_heads, c.hidden_size);
}

}  // namespace

Value glorot_linear(const Scope& s, const Value& x, int64_t size, bool bias) {
  return linear_with_deviation(s, x, size, bias, glorot_deviation(x.shape().back(), size));
}

Value glorot_embedding(const Scope& s, const Value& ids, int64_t symbols, int64_t size) {
  return embedding(s, ids, symbols, size, -1, Initializer{Initializer::Kind::kNormal, glorot_deviation(symbols, size)});
}

Value keras_layer_norm(const Scope& s, const Value& x) { return layer_norm(s, x, kKerasEpsilon); }

Value add_positions(const Scope& s, const Value& x, int64_t side, const Value& row) {
  const int64_t size = x.shape().back();
  const Initializer normal{Initializer::Kind::kNormal, 1 / std::sqrt(static_cast<double>(size))};
  Value rows = s.parameter("row", {side, 1, size}, normal);
  if (row) rows = dynamic_slice(rows, 0, row, 1);
  const Value columns = s.parameter("column", {side, size}, normal);
  return x + convert(rows, x.dtype()) + convert(columns, x.dtype());
}

Value axial_attention_block(const Scope& s, const ColTranConfig& c, const Value& x, Line line, bool hides_later,
                            const std::optional<LayerContext>& context) {
  return axial_block_end(s, c, x, axial_attention(s, c, x, line, hides_later, context), context);
}

Value axial_mlp_block(const Scope& s, const ColTranConfig& c, const Value& x,
                      const std::optional<LayerContext>& context) {
  const Value expanded = relu(glorot_linear(s / "intermediate", x, c.ff_size, true));
  Value y = glorot_linear(s / "output", expanded, c.hidden_size, true);
  if (context) y = conditioned_mlp(s, y, *context);
  return axial_block_end(s, c, x, y, context);
}

Value axial_encoder(const Scope& s, const ColTranConfig& c, const Value& input) {
  Value x = add_positions(s / "positions", input, input.shape()[1]);
  for (int64_t i = 0; i < c.num_encoder_layers; ++i) {
    const Scope layer = s / "layer" / i;
    Value y = axial_attention_block(layer / "row_attention", c, x, Line::kRow, false);
    y = axial_mlp_block(layer / "row_mlp", c, y);
    y = axial_attention_block(layer / "column_attention", c, y, Line::kColumn, false);
    x = nn::remat(layer, x, axial_mlp_block(layer / "column_mlp", c, y));
  }
  return x;
}

}  // namespace portatune::models
