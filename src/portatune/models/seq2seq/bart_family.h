// BART and its relatives, which differ in norms and positions.
#pragma once

#include <optional>
#include <string>

#include "portatune/models.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/encoders/block_attention.h"

namespace portatune::models {

/// The sizes of the encoder or of the decoder.
struct BartStack {
  int64_t layers = 12;
  int64_t ffn_dim = 4096;
  int64_t attention_heads = 16;
  int64_t vocab_size = 50265;
};

/// The fields of config.json that determine the computation, with their names there.
struct BartConfig {
  // What config.json does not say.
  std::string class_prefix;
  bool norms_inputs = false;     ///< norms are before the parts of a layer and after each stack, not after the parts
  bool norms_embeddings = true;  ///< "layernorm_embedding"
  bool has_sinusoids = false;    ///< positions are sinusoids, else learned
  int64_t position_offset = 2;   ///< rows of learned positions before that of the first token
  std::string final_norm = "layer_norm";  ///< name of the norm after each stack
  bool starts_with_last_label = false;    ///< the decoder reads the last label first, a language; else the start token

  int64_t vocab_size = 50265;  ///< that of the encoder, and by default of the decoder
  int64_t max_position_embeddings = 1024;
  int64_t d_model = 1024;
  BartStack encoder = {}, decoder = {};  ///< encoder_layers, ..., decoder_attention_heads
  std::string activation_function = "gelu";
  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  double classifier_dropout = 0.0;
  double init_std = 0.02;
  bool scale_embedding = false;
  bool shares_embeddings = true;  ///< both stacks have one matrix of words
  bool ties_output = true;        ///< the weight of the logits is the matrix of the decoder's words
  bool attention_bias = true;     ///< the linear layers of attention have biases
  /// The encoder's attention is Big Bird's, with the names of its layers there; absent: full attention.
  std::optional<BlockAttentionFields> block_attention = {};
  Seq2SeqFacts facts = {.pad_token_id = 1, .eos_token_id = 2, .decoder_start_token_id = 2, .max_target = 0};
};

/// The defaults with the fields of config.json.
BartConfig bart_config(const ConfigReader& config, BartConfig defaults);

/// A model with the heads for text to text and `more`.
std::unique_ptr<TextModel> bart_model(const BartConfig& c, Heads more = {});
/// The heads of BART and mBART for classification.
Heads bart_classification_heads(const BartConfig& c);

}  // namespace portatune::models
