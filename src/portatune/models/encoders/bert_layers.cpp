#include "portatune/models/encoders/bert_layers.h"

#include "portatune/error.h"
#include "portatune/models/config_reader.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// LayerNorm(x + Dropout(Linear(y))), the end of both halves of a layer.
Value add_and_norm(const Scope& s, const BertFields& c, const Value& x, const Value& y) {
  const Value projected = dropout(s, linear(s / "dense", y, c.hidden_size, nn::rows()), c.hidden_dropout_prob);
  return layer_norm(s / "LayerNorm", x + projected, c.layer_norm_eps);
}

void refuse_relative_positions(const ConfigReader& config) {
  const std::string positions = config.get_string_or("position_embedding_type", "absolute");
  if (positions == "absolute") return;
  throw CheckpointError({.where = "config.json, position_embedding_type",
                         .given = "\"" + positions + "\"",
                         .expected = "\"absolute\", the only supported positions for this architecture"});
}

void refuse_decoder(const ConfigReader& config) {
  if (config.get_bool_or("is_decoder", false) || config.get_bool_or("add_cross_attention", false)) {
    throw CheckpointError({.where = "config.json, is_decoder or add_cross_attention",
                           .given = "true",
                           .expected = "false: this architecture is supported only as an encoder"});
  }
}

}  // namespace

TextModelFacts bert_facts(std::string class_prefix, std::string base_prefix, const BertFields& c) {
  return {.class_prefix = std::move(class_prefix),
          .base_prefix = std::move(base_prefix),
          .vocab_size = c.vocab_size,
          .hidden_size = c.hidden_size,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = c.type_vocab_size,
          .initializer_range = c.initializer_range};
}

BertFields bert_fields(const ConfigReader& config, const BertFields& defaults) {
  refuse_decoder(config);
  return bert_fields_of_any(config, defaults);
}

BertFields bert_fields_of_any(const ConfigReader& config, const BertFields& defaults) {
  refuse_relative_positions(config);
  BertFields c = defaults;
  config.require("vocab_size", c.vocab_size, kVocabulary);
  config.require("hidden_size", c.hidden_size, kSize);
  config.require("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.require("num_attention_heads", c.num_attention_heads, kSize);
  config.require("intermediate_size", c.intermediate_size, kSize);
  config.read_activation("hidden_act", c.hidden_act);
  config.read("hidden_dropout_prob", c.hidden_dropout_prob, kRate);
  config.read("attention_probs_dropout_prob", c.attention_probs_dropout_prob, kRate);
  config.read("max_position_embeddings", c.max_position_embeddings, kSize);
  config.read("type_vocab_size", c.type_vocab_size, {defaults.type_vocab_size > 0 ? 1 : 0, kSize.most});
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("layer_norm_eps", c.layer_norm_eps, kEpsilon);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  return c;
}

Positions positions_after(int64_t padding_id, const TextInputs& in) {
  const TensorType type = in.input_ids.type();
  const Value padding = full(type, static_cast<double>(padding_id));
  const Value is_token = convert(compare(Direction::kNotEqual, in.input_ids, padding), type.dtype);   // [batch, seq]
  const Value number = in.position_ids ? in.position_ids + full(type, 1) : cumulative_sum(is_token);  // from 1
  return {.ids = number * is_token + padding, .padding_id = padding_id};
}

Value bert_embeddings(const Scope& s, const BertFields& c, const TextInputs& in, const Positions& positions,
                      int64_t width) {
  const Value type_ids = in.token_type_ids ? in.token_type_ids : full(in.input_ids.type(), 0);
  const Value words = word_embedding(s / "word_embeddings", in.input_ids, c.vocab_size, width, c.pad_token_id);
  const Value types = embedding(s / "token_type_embeddings", type_ids, c.type_vocab_size, width);
  const Value position_embeddings =
      embedding(s / "position_embeddings", positions.ids, c.max_position_embeddings, width,
                positions.padding_id);  // [seq, width] or [batch, seq, width]
  return dropout(s, layer_norm(s / "LayerNorm", words + types + position_embeddings, c.layer_norm_eps),
                 c.hidden_dropout_prob);
}

Value bert_self_attention(const Scope& s, const BertFields& c, const Value& x, const Value& mask) {
  return self_attention(s, x, mask,
                        {.heads = c.num_attention_heads,
                         .head_size = c.hidden_size / c.num_attention_heads,
                         .dropout = c.attention_probs_dropout_prob});
}

Value bert_feed_forward(const Scope& s, const BertFields& c, const Value& x, const Value& residual) {
  const Value expanded = linear(s / "intermediate" / "dense", x, c.intermediate_size, nn::columns());
  return add_and_norm(s / "output", c, residual, nn::activate(c.hidden_act, expanded));
}

Value bert_layer(const Scope& s, const BertFields& c, const Value& x, const Value& attended) {
  const Value h = add_and_norm(s / "attention" / "output", c, x, attended);
  return bert_feed_forward(s, c, h, h);
}

Values bert_layers(const Scope& s, const BertFields& c, const Value& x, const Value& mask) {
  Values states{x};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const Scope layer = s / "layer" / i;
    const Value attended = bert_self_attention(layer / "attention" / "self", c, states.back(), mask);
    states.push_back(nn::remat(s, states.back(), bert_layer(layer, c, states.back(), attended)));
  }
  return states;
}

Value bert_pooler(const Scope& s, const Value& x) {
  return tanh(linear(s / "dense", nn::first_token(x), x.shape().back()));
}

Value bert_masked_lm(const Scope& root, const BertFields& c, const HeadInputs& in) {
  const Scope s = root / "cls" / "predictions";
  const Value dense = linear(s / "transform" / "dense", in.x, c.hidden_size);
  const Value h = layer_norm(s / "transform" / "LayerNorm", nn::activate(c.hidden_act, dense), c.layer_norm_eps);
  return lm_decoder(s, h, {"bert.embeddings.word_embeddings.weight", c.tie_word_embeddings, c.vocab_size});
}

Value roberta_masked_lm(const Scope& root, const std::string& base_prefix, const BertFields& c, const HeadInputs& in) {
  const Scope s = root / "lm_head";
  const Value dense = gelu(linear(s / "dense", in.x, c.hidden_size));
  const Value h = layer_norm(s / "layer_norm", dense, c.layer_norm_eps);
  return lm_decoder(s, h, {base_prefix + ".embeddings.word_embeddings.weight", c.tie_word_embeddings, c.vocab_size});
}

Value roberta_classifier(const Scope& root, const BertFields& c, double dropout_rate, const HeadInputs& in) {
  const Scope s = root / "classifier";
  const Value first = dropout(s, nn::first_token(in.x), dropout_rate);
  const Value h = dropout(s, tanh(linear(s / "dense", first, c.hidden_size)), dropout_rate);
  return logits(s / "out_proj", h, in.num_labels);
}

}  // namespace portatune::models
