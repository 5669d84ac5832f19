#include <algorithm>

#include "portatune/error.h"
#include "portatune/graph/checks.h"
#include "portatune/media_models.h"
#include "portatune/models/architectures.h"
#include "portatune/models/audio/windows.h"
#include "portatune/models/heads.h"
#include "portatune/models/images/vit_layers.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Initializer;
using nn::Scope;

constexpr const char* kClassPrefix = "AST";
constexpr const char* kBasePrefix = "audio_spectrogram_transformer";

// Square patches, which overlap.
struct AstPatches {
  int64_t size = 16;
  int64_t frequency_stride = 10, time_stride = 10;
  SpectrogramSize of = {.frames = 1024, .mel_bins = 128};

  int64_t rows() const { return (of.mel_bins - size) / frequency_stride + 1; }
  int64_t columns() const { return (of.frames - size) / time_stride + 1; }
};

AstPatches ast_patches(const ConfigReader& config) {
  AstPatches p;
  config.read("patch_size", p.size, kSize);
  config.read("frequency_stride", p.frequency_stride, kSize);
  config.read("time_stride", p.time_stride, kSize);
  config.read("max_length", p.of.frames, kSize);
  config.read("num_mel_bins", p.of.mel_bins, kSize);
  if (p.size > std::min(p.of.mel_bins, p.of.frames)) {
    throw CheckpointError({.where = "config.json, patch_size",
                           .given = std::to_string(p.size),
                           .expected = "at most num_mel_bins and max_length: " + std::to_string(p.of.mel_bins) +
                                       " and " + std::to_string(p.of.frames)});
  }
  return p;
}

// A linear layer over each patch, [batch, patches, hidden_size]; patches of the lowest bins first, then by time.
// x [batch, frames, mel bins]
Value ast_patch_embeddings(const Scope& s, const VitFields& c, const AstPatches& p, const Value& x) {
  const int64_t batch = x.shape()[0], rows = p.rows(), columns = p.columns(), size = p.size;
  const Value bands = windows(transpose(x, {0, 2, 1}), size, p.frequency_stride);  // [batch, rows, size * frames]
  const Value by_time = transpose(reshape(bands, {batch, rows, size, p.of.frames}), {0, 1, 3, 2});
  const Value patches = windows(reshape(by_time, {batch * rows, p.of.frames, size}), size, p.time_stride);
  const Value weight =
      s.rounded_parameter("weight", {c.hidden_size, 1, size, size}, {Initializer::Kind::kNormal, c.initializer_range});
  const Value bias = s.parameter("bias", {c.hidden_size}, {Initializer::Kind::kZeros});
  return linear(reshape(patches, {batch, rows * columns, size * size}),
                reshape(transpose(weight, {0, 1, 3, 2}), {c.hidden_size, size * size}), bias);
}

Value ast_embeddings(const Scope& s, const VitFields& c, const AstPatches& p, const Value& spectrograms) {
  const Shape expected{spectrograms.rank() > 0 ? spectrograms.shape()[0] : 1, p.of.frames, p.of.mel_bins};
  require(spectrograms.shape() == expected, "input_values", {&spectrograms, 1},
          "spectrograms " + to_string(expected) + ", by config.json");
  const int64_t batch = expected[0];
  const DType dtype = s.options().compute_dtype;
  const auto parameter = [&](const char* name, int64_t tokens) {
    return convert(s.rounded_parameter(name, {1, tokens, c.hidden_size}, {Initializer::Kind::kZeros}), dtype);
  };
  const auto token = [&](const char* name) { return broadcast_to(parameter(name, 1), {batch, 1, c.hidden_size}); };
  const Value cls = token("cls_token"), distillation = token("distillation_token");
  const Value patches = ast_patch_embeddings(s / "patch_embeddings" / "projection", c, p, convert(spectrograms, dtype));
  const Value x = concatenate({cls, distillation, patches}, 1);
  return dropout(s, x + parameter("position_embeddings", x.shape()[1]), c.hidden_dropout_prob);
}

AudioModelFacts ast_facts(const VitFields& c, const AstPatches& p) {
  return {.class_prefix = kClassPrefix,
          .base_prefix = kBasePrefix,
          .classification_class = "ASTForAudioClassification",
          .hidden_size = c.hidden_size,
          .initializer_range = c.initializer_range,
          .spectrogram = p.of};
}

// ViT, with the two tokens of DeiT, on a spectrogram.
class Ast final : public AudioModel {
 public:
  Ast(const VitFields& c, const AstPatches& p) : AudioModel(ast_facts(c, p)), c_(c), p_(p) {}

  Values hidden_states(const Scope& root, const AudioInputs& in) const override {
    const Scope s = root / kBasePrefix;
    return vit_layers(s / "encoder", c_, ast_embeddings(s / "embeddings", c_, p_, in.input_values));
  }
  Value last_hidden_state(const Scope& root, const Value& x) const override {
    return vit_norm(root / kBasePrefix, c_, x);
  }
  Value pooler_output(const Scope& root, const Value& x) const override {
    return mean(slice(last_hidden_state(root, x), 1, {0, 2}), {1});
  }
  Value class_logits(const Scope& root, const Values& hidden_states, const AudioInputs&,
                     int64_t num_labels) const override {
    const Scope s = root / "classifier";
    const Value pooled = pooler_output(root, hidden_states.back());
    return logits(s / "dense", layer_norm(s / "layernorm", pooled, c_.layer_norm_eps), num_labels);
  }

 private:
  VitFields c_;
  AstPatches p_;
};

}  // namespace

std::unique_ptr<AudioModel> ast(const io::JsonObject& config) {
  const AstPatches patches = ast_patches(config);
  const VitFields c = vit_layer_fields(config);
  return std::make_unique<Ast>(c, patches);
}

}  // namespace portatune::models
