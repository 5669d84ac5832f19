#include <cmath>
#include <optional>

#include "portune/error.h"
#include "portune/io/json.h"
#include "portune/models/architectures.h"
#include "portune/models/config_checks.h"
#include "portune/models/lm_head.h"
#include "portune/ops.h"

namespace portune::models {
namespace {

using nn::Scope;

// The fields of config.json that shape the computation, as it spells them.
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
  std::optional<double> classifier_dropout;  // hidden_dropout_prob where absent
  bool tie_word_embeddings = true;
  int64_t pad_token_id = 0;
};

// The sum of word, position and token-type embeddings, normalised.
Value embed(const Scope& s, const BertConfig& c, const TextInputs& in) {
  const int64_t seq = in.input_ids.shape()[1];
  const Value positions = iota({DType::kInt32, {seq}}, 0);
  const Value words = embedding(s / "word_embeddings", in.input_ids, c.vocab_size, c.hidden_size, c.pad_token_id);
  const Value type_ids = in.token_type_ids ? in.token_type_ids : full(in.input_ids.type(), 0);
  const Value types = embedding(s / "token_type_embeddings", type_ids, c.type_vocab_size, c.hidden_size);
  const Value places =
      embedding(s / "position_embeddings", positions, c.max_position_embeddings, c.hidden_size);  // [seq, hidden]
  const Value x = layer_norm(s / "LayerNorm", words + types + places, c.layer_norm_eps);
  return dropout(s, x, c.hidden_dropout_prob);  // [batch, seq, hidden]
}

Value self_attention(const Scope& s, const BertConfig& c, const Value& x, const Value& mask_bias) {
  const Value q = linear(s / "query", x, c.hidden_size);
  const Value k = linear(s / "key", x, c.hidden_size);
  const Value v = linear(s / "value", x, c.hidden_size);
  AttentionOptions options{.heads = c.num_attention_heads,
                           .scale = 1 / std::sqrt(static_cast<double>(c.hidden_size / c.num_attention_heads))};
  if (s.options().training && c.attention_probs_dropout_prob > 0) {
    options.dropout = c.attention_probs_dropout_prob;
    options.key = s.random_key();
  }
  return attention(q, k, v, mask_bias, options);
}

// LayerNorm(x + Dropout(Linear(y))): how both halves of a layer end.
Value add_and_norm(const Scope& s, const BertConfig& c, const Value& x, const Value& y) {
  const Value projected = dropout(s, linear(s / "dense", y, c.hidden_size), c.hidden_dropout_prob);
  return layer_norm(s / "LayerNorm", x + projected, c.layer_norm_eps);
}

Value encoder_layer(const Scope& s, const BertConfig& c, const Value& x, const Value& mask_bias) {
  const Value attended = self_attention(s / "attention" / "self", c, x, mask_bias);
  const Value h = add_and_norm(s / "attention" / "output", c, x, attended);
  const Value expanded = linear(s / "intermediate" / "dense", h, c.intermediate_size);
  return add_and_norm(s / "output", c, h, nn::activate(c.hidden_act, expanded));
}

constexpr io::IntRange kSize{1, 1 << 20};
constexpr io::FloatRange kRate{0, 0.999};

void refuse_variants(const io::JsonObject& config) {
  const std::string positions = config.get_string_or("position_embedding_type", "absolute");
  if (positions != "absolute") {
    throw CheckpointError({.where = "config.json, position_embedding_type",
                           .given = "\"" + positions + "\"",
                           .expected = "\"absolute\", the only kind of BERT positions that is built"});
  }
  if (config.get_bool_or("is_decoder", false) || config.get_bool_or("add_cross_attention", false)) {
    throw CheckpointError({.where = "config.json, is_decoder or add_cross_attention",
                           .given = "true",
                           .expected = "false: BERT is built as an encoder"});
  }
}

BertConfig bert_config(const io::JsonObject& config) {
  refuse_variants(config);
  BertConfig c;
  c.vocab_size = config.get_int("vocab_size", {1, 1 << 24});
  c.hidden_size = config.get_int("hidden_size", kSize);
  c.num_hidden_layers = config.get_int("num_hidden_layers", {1, 1024});
  c.num_attention_heads = config.get_int("num_attention_heads", kSize);
  c.intermediate_size = config.get_int("intermediate_size", kSize);
  c.hidden_act = config.get_string_or("hidden_act", c.hidden_act);
  require_activation("hidden_act", c.hidden_act);
  c.hidden_dropout_prob = config.get_float_or("hidden_dropout_prob", c.hidden_dropout_prob, kRate);
  c.attention_probs_dropout_prob =
      config.get_float_or("attention_probs_dropout_prob", c.attention_probs_dropout_prob, kRate);
  c.max_position_embeddings = config.get_int_or("max_position_embeddings", c.max_position_embeddings, kSize);
  c.type_vocab_size = config.get_int_or("type_vocab_size", c.type_vocab_size, kSize);
  c.initializer_range = config.get_float_or("initializer_range", c.initializer_range, {0, 10});
  c.layer_norm_eps = config.get_float_or("layer_norm_eps", c.layer_norm_eps, {0, 1});
  if (config.has("classifier_dropout")) c.classifier_dropout = config.get_float("classifier_dropout", kRate);
  c.pad_token_id = config.get_int_or("pad_token_id", c.pad_token_id, {-1, c.vocab_size - 1});
  c.tie_word_embeddings = config.get_bool_or("tie_word_embeddings", c.tie_word_embeddings);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  return c;
}

class Bert final : public TextModel {
 public:
  explicit Bert(const BertConfig& c)
      : TextModel({.class_prefix = "Bert",
                   .base_prefix = "bert",
                   .vocab_size = c.vocab_size,
                   .hidden_size = c.hidden_size,
                   .max_length = c.max_position_embeddings,
                   .type_vocab_size = c.type_vocab_size,
                   .initializer_range = c.initializer_range,
                   .classifier_dropout = c.classifier_dropout.value_or(c.hidden_dropout_prob)}),
        c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "bert";
    const Value mask_bias = nn::attention_bias(in.attention_mask);  // [batch, 1, 1, seq]
    Values x{embed(s / "embeddings", c_, in)};
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      x.push_back(encoder_layer(s / "encoder" / "layer" / i, c_, x.back(), mask_bias));
    }
    return x;
  }

  Value pooler_output(const Scope& root, const Value& x) const override {
    return tanh(linear(root / "bert" / "pooler" / "dense", nn::first_token(x), c_.hidden_size));
  }

  Value sequence_logits(const Scope& root, const TextInputs&, const Value& x, int64_t num_labels) const override {
    return token_logits(root, pooler_output(root, x), num_labels);
  }

  Value choice_logits(const Scope& root, const Value& x) const override {
    return token_logits(root, pooler_output(root, x), 1);
  }

  Value masked_lm_logits(const Scope& root, const Value& x) const override {
    const Scope s = root / "cls" / "predictions";
    const Value dense = linear(s / "transform" / "dense", x, c_.hidden_size);
    const Value h = layer_norm(s / "transform" / "LayerNorm", nn::activate(c_.hidden_act, dense), c_.layer_norm_eps);
    return lm_decoder(s, h, {"bert.embeddings.word_embeddings.weight", c_.tie_word_embeddings, c_.vocab_size});
  }

  Value next_sentence_logits(const Scope& root, const Value& x) const override {
    return convert(linear(root / "cls" / "seq_relationship", pooler_output(root, x), 2), DType::kFloat32);
  }

 private:
  BertConfig c_;
};

}  // namespace

std::unique_ptr<TextModel> bert(const io::JsonObject& config) { return std::make_unique<Bert>(bert_config(config)); }

}  // namespace portune::models
