// The blocks of ViT. DeiT and AST have them under the same names.
#pragma once

#include <string>

#include "portatune/models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// The fields of config.json that determine the computation, with their names there.
struct VitFields {
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  ImageSize image_size = {224, 224};
  ImageSize patch_size = {16, 16};
  int64_t num_channels = 3;
  bool qkv_bias = true;
  int64_t pooler_output_size = 0;  // default: hidden_size
  std::string pooler_act = "tanh";
};

/// Reads these fields. CheckpointError for a value out of range.
VitFields vit_fields(const ConfigReader& config);
/// Reads those of the layers, which AST has, too.
VitFields vit_layer_fields(const ConfigReader& config);

ImageModelFacts vit_facts(const VitFields& c, const std::string& class_prefix, const std::string& base_prefix);

/// Special tokens of these names, then the patches of the images row by row, with position embeddings;
/// [batch, tokens + patches, hidden_size].
/// initializer  of special tokens and position embeddings
Value vit_embeddings(const nn::Scope& s, const VitFields& c, const Value& pixel_values,
                     const std::vector<std::string>& special_tokens, const nn::Initializer& initializer);

/// x, followed by the output of each layer.
Values vit_layers(const nn::Scope& s, const VitFields& c, const Value& x);

/// The final norm, after the last layer.
Value vit_norm(const nn::Scope& s, const VitFields& c, const Value& x);
/// The pooler of the first token of vit_norm()'s result, [batch, pooler_output_size].
Value vit_pooler(const nn::Scope& s, const VitFields& c, const Value& last_hidden_state);

/// A linear layer over one of the special tokens, float32 [batch, num_labels].
Value token_classifier(const nn::Scope& s, const Value& last_hidden_state, int64_t token, int64_t num_labels);

}  // namespace portatune::models
