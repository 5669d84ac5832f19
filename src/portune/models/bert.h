// BERT. Devlin et al. 2018, arXiv:1810.04805; names and defaults of transformers' BertConfig and BertModel.
#pragma once

#include <optional>
#include <string>

#include "portune/models.h"

namespace portune::models {

/// The fields of config.json that shape the computation, as it spells them.
struct BertConfig {
  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  std::optional<double> classifier_dropout;  ///< hidden_dropout_prob where absent
};

/// Reads config.json. CheckpointError for values out of range and for a variant that is not built (decoders,
/// relative positions).
BertConfig bert_config(const io::JsonObject& config);

/// The encoder. Returns the last layer's output, [batch, seq, hidden].
Value bert(const nn::Scope& s, const BertConfig& c, const TextInputs& in);

/// The first token through "pooler.dense" and tanh, [batch, hidden].
Value bert_pooler(const nn::Scope& s, const BertConfig& c, const Value& x);

/// BertForSequenceClassification: pooler, dropout, "classifier". Returns float32 [batch, num_labels].
Value bert_for_sequence_classification(const nn::Scope& root, const BertConfig& c, const TextInputs& in,
                                       int64_t num_labels);

}  // namespace portune::models
