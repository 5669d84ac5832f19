#include "portatune/models/images/vit_layers.h"

#include "portatune/error.h"
#include "portatune/models/config_reader.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Initializer;
using nn::Scope;

int64_t patches(const VitFields& c) {
  return c.image_size.height / c.patch_size.height * (c.image_size.width / c.patch_size.width);
}

// The convolution of the paper. Its stride equals its kernel size, so that it is a linear layer over each patch;
// [batch, patches, hidden_size].
Value patch_embeddings(const Scope& s, const VitFields& c, const Value& pixel_values) {
  const int64_t batch = pixel_values.shape()[0];
  const auto [height, width] = c.patch_size;
  const Value grid = reshape(
      pixel_values, {batch, c.num_channels, c.image_size.height / height, height, c.image_size.width / width, width});
  const int64_t pixels = c.num_channels * height * width;
  const Value rows = reshape(transpose(grid, {0, 2, 4, 1, 3, 5}), {batch, patches(c), pixels});
  const Initializer normal{Initializer::Kind::kNormal, c.initializer_range};
  const Value weight = s.rounded_parameter("weight", {c.hidden_size, c.num_channels, height, width}, normal);
  const Value bias = s.parameter("bias", {c.hidden_size}, {Initializer::Kind::kZeros});
  return linear(convert(rows, s.options().compute_dtype), reshape(weight, {c.hidden_size, pixels}), bias);
}

Value self_attention(const Scope& s, const VitFields& c, const Value& x, const Value& mask_bias) {
  const Scope inner = s / "attention";
  const Value attended = nn::self_attention(inner, x, mask_bias,
                                            {.heads = c.num_attention_heads,
                                             .head_size = c.hidden_size / c.num_attention_heads,
                                             .dropout = c.attention_probs_dropout_prob,
                                             .linear = {.bias = c.qkv_bias}});
  return linear(s / "output" / "dense", attended, c.hidden_size, nn::rows());
}

Value encoder_layer(const Scope& s, const VitFields& c, const Value& x, const Value& mask_bias) {
  const Value attended =
      self_attention(s / "attention", c, layer_norm(s / "layernorm_before", x, c.layer_norm_eps), mask_bias);
  const Value h = x + dropout(s / "attention", attended, c.hidden_dropout_prob);
  const Value normed = layer_norm(s / "layernorm_after", h, c.layer_norm_eps);
  const Value expanded = linear(s / "intermediate" / "dense", normed, c.intermediate_size, nn::columns());
  const Value y = linear(s / "output" / "dense", nn::activate(c.hidden_act, expanded), c.hidden_size, nn::rows());
  return h + dropout(s / "output", y, c.hidden_dropout_prob);
}

constexpr io::IntRange kPixels{1, 1 << 14};

// Reads a size: a number for squares, or [height, width].
void read_size(const ConfigReader& config, std::string_view key, ImageSize& size) {
  if (config.type_of(key) != "array") {
    config.read(key, size.height, kPixels);
    size.width = size.height;
    return;
  }
  const std::vector<int64_t> sides = config.get_ints(key, kPixels);
  if (sides.size() != 2) {
    throw CheckpointError({.where = "config.json, " + std::string(key),
                           .given = std::to_string(sides.size()) + " numbers",
                           .expected = "a number, or height and width"});
  }
  size = {sides[0], sides[1]};
}

}  // namespace

VitFields vit_layer_fields(const ConfigReader& config) {
  VitFields c;
  config.require("hidden_size", c.hidden_size, kSize);
  config.require("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.require("num_attention_heads", c.num_attention_heads, kSize);
  config.require("intermediate_size", c.intermediate_size, kSize);
  config.read_activation("hidden_act", c.hidden_act);
  config.read("hidden_dropout_prob", c.hidden_dropout_prob, kRate);
  config.read("attention_probs_dropout_prob", c.attention_probs_dropout_prob, kRate);
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("layer_norm_eps", c.layer_norm_eps, kEpsilon);
  config.read("qkv_bias", c.qkv_bias);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  return c;
}

VitFields vit_fields(const ConfigReader& config) {
  config.ignore({"encoder_stride"});  // it belongs to a head for pretraining
  VitFields c = vit_layer_fields(config);
  read_size(config, "image_size", c.image_size);
  read_size(config, "patch_size", c.patch_size);
  config.read("num_channels", c.num_channels, {1, 1024});
  c.pooler_output_size = c.hidden_size;
  config.read("pooler_output_size", c.pooler_output_size, kSize);
  config.read_activation("pooler_act", c.pooler_act);
  require_multiple("image_size", c.image_size.height, "patch_size", c.patch_size.height);
  require_multiple("image_size", c.image_size.width, "patch_size", c.patch_size.width);
  return c;
}

ImageModelFacts vit_facts(const VitFields& c, const std::string& class_prefix, const std::string& base_prefix) {
  return {.class_prefix = class_prefix,
          .base_prefix = base_prefix,
          .hidden_size = c.hidden_size,
          .num_channels = c.num_channels,
          .image_size = c.image_size,
          .initializer_range = c.initializer_range};
}

Value vit_embeddings(const Scope& s, const VitFields& c, const Value& pixel_values,
                     const std::vector<std::string>& special_tokens, const Initializer& initializer) {
  const Shape expected{pixel_values.shape()[0], c.num_channels, c.image_size.height, c.image_size.width};
  if (pixel_values.shape() != expected) {
    throw ShapeError({.where = "pixel_values",
                      .given = to_string(pixel_values.shape()),
                      .expected = to_string(expected) + ", by config.json"});
  }
  const DType dtype = s.options().compute_dtype;
  const int64_t batch = pixel_values.shape()[0];
  Values tokens;
  for (const std::string& name : special_tokens) {
    const Value token = convert(s.rounded_parameter(name, {1, 1, c.hidden_size}, initializer), dtype);
    tokens.push_back(broadcast_to(token, {batch, 1, c.hidden_size}));
  }
  tokens.push_back(patch_embeddings(s / "patch_embeddings" / "projection", c, pixel_values));
  const int64_t length = patches(c) + static_cast<int64_t>(special_tokens.size());
  const Value positions =
      convert(s.rounded_parameter("position_embeddings", {1, length, c.hidden_size}, initializer), dtype);
  return dropout(s, concatenate(tokens, 1) + positions, c.hidden_dropout_prob);
}

Values vit_layers(const Scope& s, const VitFields& c, const Value& x) {
  const Value nothing_hidden = full({DType::kFloat32, {x.shape()[0], 1, 1, x.shape()[1]}}, 0);
  Values states{x};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    states.push_back(nn::remat(s, states.back(), encoder_layer(s / "layer" / i, c, states.back(), nothing_hidden)));
  }
  return states;
}

Value vit_norm(const Scope& s, const VitFields& c, const Value& x) {
  return layer_norm(s / "layernorm", x, c.layer_norm_eps);
}

Value vit_pooler(const Scope& s, const VitFields& c, const Value& last_hidden_state) {
  return nn::activate(c.pooler_act, linear(s / "dense", nn::first_token(last_hidden_state), c.pooler_output_size));
}

Value token_classifier(const Scope& s, const Value& last_hidden_state, int64_t token, int64_t num_labels) {
  const Value x = slice(last_hidden_state, 1, {token, token + 1});  // [batch, 1, hidden]
  return convert(linear(s, reshape(x, {x.shape()[0], x.shape()[2]}), num_labels), DType::kFloat32);
}

}  // namespace portatune::models
