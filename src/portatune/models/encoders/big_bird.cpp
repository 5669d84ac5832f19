#include <cmath>
#include <functional>

#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/encoders/block_attention.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/one_text_per_row.h"
#include "portatune/models/text_inputs.h"
#include "portatune/models/unused_layers.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr const char* kClassPrefix = "BigBird";
constexpr double kQuestionPenalty = -1e6;  // logits of tokens that are no answer

// The fields of config.json that Big Bird has in addition to BERT's, with their names there.
struct BigBirdConfig : BertFields {
  bool is_decoder = false;
  bool use_bias = true;  // of queries, keys and values
  bool rescale_embeddings = false;
  int64_t sep_token_id = 66;
  BlockAttentionFields blocks = {};  // A decoder does not use them.

  nn::SelfAttention attention() const {
    return {.heads = num_attention_heads,
            .head_size = hidden_size / num_attention_heads,
            .dropout = attention_probs_dropout_prob,
            .linear = {.bias = use_bias}};
  }
};

BigBirdConfig big_bird_config(const ConfigReader& config) {
  BigBirdConfig c{bert_fields_of_any(config, {.hidden_act = "gelu_new", .max_position_embeddings = 4096})};
  config.read("is_decoder", c.is_decoder);
  config.read("use_bias", c.use_bias);
  config.read("rescale_embeddings", c.rescale_embeddings);
  c.blocks = block_attention_fields(config, c.max_position_embeddings);
  config.read("sep_token_id", c.sep_token_id, token_or_none(c.vocab_size));
  if (config.get_bool_or("add_cross_attention", false)) {
    throw CheckpointError({.where = "config.json, add_cross_attention",
                           .given = "true",
                           .expected = "false: Big Bird is supported without cross-attention"});
  }
  return c;
}

Value embeddings(const Scope& s, const BigBirdConfig& c, const TextInputs& in) {
  const Value type_ids = in.token_type_ids ? in.token_type_ids : full(in.input_ids.type(), 0);
  Value words = word_embedding(s / "word_embeddings", in.input_ids, c.vocab_size, c.hidden_size, c.pad_token_id);
  if (c.rescale_embeddings) words = words * std::sqrt(static_cast<double>(c.hidden_size));
  const Value types = embedding(s / "token_type_embeddings", type_ids, c.type_vocab_size, c.hidden_size);
  const Value positions =
      embedding(s / "position_embeddings", positions_of(in), c.max_position_embeddings, c.hidden_size);
  const Value dropped = dropout(s, words + types + positions, c.hidden_dropout_prob);
  return layer_norm(s / "LayerNorm", dropped, c.layer_norm_eps);
}

// Attention of the heads of layer `layer`; s is its scope.
using Attend = std::function<Value(const Scope& s, int64_t layer, const nn::HeadsOfDevice& heads)>;

// The output of the embeddings and of each layer.
Values layers(const Scope& s, const BigBirdConfig& c, const Value& x, const Attend& attend) {
  Values states{x};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const Scope layer = s / "layer" / i, self = layer / "attention" / "self";
    const Value attended = attend(self, i, project(self, states.back(), c.attention()));
    states.push_back(nn::remat(s, states.back(), bert_layer(layer, c, states.back(), attended)));
  }
  return states;
}

class BigBird final : public TextBody, public OneTextPerRow {
 public:
  explicit BigBird(const BigBirdConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "bert";
    const Value x = embeddings(s / "embeddings", c_, in);
    return layers(s / "encoder", c_, x, BlockAttention(kClassPrefix, c_.blocks, in));
  }

  Value pooler_output(const Scope& root, const Value& x) const override { return pooled(root, x); }
  int64_t max_padded_length(int64_t tokens) const override { return c_.blocks.max_padded_length(tokens); }

  static Value pooled(const Scope& root, const Value& x) {
    return tanh(linear(root / "bert" / "pooler", nn::first_token(x), x.shape().back()));
  }

 private:
  BigBirdConfig c_;
};

// Big Bird with "is_decoder": the same layers with causal attention.
class BigBirdDecoder final : public LayeredDecoder {
 public:
  explicit BigBirdDecoder(const BigBirdConfig& c) : LayeredDecoder(c.num_hidden_layers, c.hidden_size), c_(c) {}

  Value pooler_output(const Scope& root, const Value& x) const override { return BigBird::pooled(root, x); }

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    const Scope s = root / "bert";
    return layers(s / "encoder", c_, embeddings(s / "embeddings", c_, in),
                  [&](const Scope& self, int64_t layer, const nn::HeadsOfDevice& heads) {
                    return causal_attention(self, pass, layer, heads);
                  });
  }

  BigBirdConfig c_;
};

Value sequence_classification(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  const Scope s = root / "classifier";
  const Value first = dropout(s, nn::first_token(in.x), c.head_dropout());
  const Value h = nn::activate(c.hidden_act, linear(s / "dense", first, c.hidden_size));
  return logits(s / "out_proj", dropout(s, h, c.head_dropout()), in.num_labels);
}

Value multiple_choice(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  return classifier(root, BigBird::pooled(root, in.x), 1, c.hidden_dropout_prob);
}

// float32 [batch, seq, 1]: 1 at the question up to its separator, except at the first token. A text without a separator
// has no question.
Value question_of(const BigBirdConfig& c, const TextInputs& in) {
  const Value& ids = in.input_ids;
  const auto number = [&](int64_t n) { return full({DType::kInt32, {}}, static_cast<double>(n)); };
  const Value is_separator = convert(compare(Direction::kEqual, ids, number(c.sep_token_id)), DType::kInt32);
  const Value separator = expand_dims(argmax(is_separator, 1), -1), position = iota(ids.type(), 1);
  const Value is_question = bitwise_and(compare(Direction::kLessEqual, position, separator),
                                        compare(Direction::kGreater, position, number(0)));
  return expand_dims(convert(is_question, DType::kFloat32), -1);
}

Value answer_span(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  const Scope s = root / "qa_classifier";
  const Value h = bert_feed_forward(s, c, dropout(s, in.x, c.hidden_dropout_prob), in.x);
  return logits(s / "qa_outputs", h, 2) + question_of(c, in.text) * kQuestionPenalty;
}

Value next_sentence(const Scope& root, const BigBirdConfig&, const HeadInputs& in) {
  return logits(root / "cls" / "seq_relationship", BigBird::pooled(root, in.x), 2);
}

// A head that does not use the pooler, which its class in transformers saves.
Head without_pooler(const BigBirdConfig& c, const Head& head) {
  return [c, head](const Scope& root, const HeadInputs& in) {
    unused_linear(root / "bert" / "pooler", c.hidden_size, c.hidden_size);
    return head(root, in);
  };
}

Heads heads_of(const BigBirdConfig& c) {
  const Head words = without_pooler(c, head_of<BertFields>(c, bert_masked_lm));
  if (c.is_decoder) return {{HeadKind::kCausalLM, words}};
  return {{HeadKind::kSequenceClassification, without_pooler(c, head_of(c, sequence_classification))},
          {HeadKind::kTokenClassification, without_pooler(c, token_classification(c.head_dropout()))},
          {HeadKind::kQuestionAnswering, head_of(c, answer_span)},
          {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
          {HeadKind::kMaskedLM, words},
          {HeadKind::kPreTraining, head_of(c, next_sentence)}};
}

}  // namespace

std::unique_ptr<TextModel> big_bird(const io::JsonObject& config) {
  const BigBirdConfig c = big_bird_config(config);
  std::unique_ptr<TextBody> body;
  if (c.is_decoder) {
    body = std::make_unique<BigBirdDecoder>(c);
  } else {
    body = std::make_unique<BigBird>(c);
  }
  return std::make_unique<TextModel>(bert_facts(kClassPrefix, "bert", c), std::move(body), heads_of(c));
}

}  // namespace portatune::models
