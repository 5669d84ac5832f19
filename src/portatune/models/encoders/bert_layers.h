// The blocks of BERT that related models have under the same names: all blocks of RoBERTa and ELECTRA, the embeddings
// and attention of ALBERT, the feed-forward half of the layers of MPNet, and what Big Bird and DeBERTa have above their
// attention.
#pragma once

#include <optional>
#include <string>

#include "portatune/models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// The fields of config.json that these models share, with their names there.
struct BertFields {
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
  std::optional<double> classifier_dropout;  // absent: hidden_dropout_prob
  bool tie_word_embeddings = true;
  int64_t pad_token_id = 0;

  double head_dropout() const { return classifier_dropout.value_or(hidden_dropout_prob); }
};

/// Reads these fields. CheckpointError for a value out of range, and for a decoder or relative positions.
/// defaults  values of fields that the file lacks; type_vocab_size 0: the model may be without token types
BertFields bert_fields(const ConfigReader& config, const BertFields& defaults);
/// The same for an architecture that is also supported as a decoder, which its caller checks.
BertFields bert_fields_of_any(const ConfigReader& config, const BertFields& defaults);

/// The model's metadata from these fields. The maximal length of a text is the number of positions.
TextModelFacts bert_facts(std::string class_prefix, std::string base_prefix, const BertFields& c);

/// Inputs of the position embedding.
struct Positions {
  Value ids;                ///< int32 [seq] or [batch, seq]
  int64_t padding_id = -1;  ///< id whose row gets no gradient; -1: none
};
/// Positions that count only tokens, from padding_id + 1; padding is always at padding_id.
Positions positions_after(int64_t padding_id, const TextInputs& in);

/// The sum of word, token-type and position embeddings, normalised; [batch, seq, width].
Value bert_embeddings(const nn::Scope& s, const BertFields& c, const TextInputs& in, const Positions& positions,
                      int64_t width);

/// Self-attention without the final projection; [batch, seq, hidden_size]. A device along `tensor` has the part of its
/// heads.
Value bert_self_attention(const nn::Scope& s, const BertFields& c, const Value& x, const Value& mask);

/// LayerNorm(residual + Dropout(Linear(activation(Linear(x))))), with the layers "intermediate" and "output" of s.
Value bert_feed_forward(const nn::Scope& s, const BertFields& c, const Value& x, const Value& residual);

/// The output of a layer, from its input x and the result of its self-attention.
Value bert_layer(const nn::Scope& s, const BertFields& c, const Value& x, const Value& attended);

/// x, followed by the output of each layer.
/// mask  see attention()
Values bert_layers(const nn::Scope& s, const BertFields& c, const Value& x, const Value& mask);

/// tanh(Linear(x of the first token)), [batch, hidden_size].
Value bert_pooler(const nn::Scope& s, const Value& x);

/// The head of a masked language model in the layout of BERT, "cls.predictions".
Value bert_masked_lm(const nn::Scope& root, const BertFields& c, const HeadInputs& in);
/// The same in the layout of RoBERTa, "lm_head".
/// base_prefix  prefix of the model's body, with which the decoder may share its embeddings
Value roberta_masked_lm(const nn::Scope& root, const std::string& base_prefix, const BertFields& c,
                        const HeadInputs& in);
/// The head of RoBERTa for classes of texts: linear, tanh, linear on the state of the first token.
Value roberta_classifier(const nn::Scope& root, const BertFields& c, double dropout_rate, const HeadInputs& in);

}  // namespace portatune::models
