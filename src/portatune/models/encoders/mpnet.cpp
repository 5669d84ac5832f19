#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/relative_positions.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// transformers fixes these numbers, and does not read them from config.json.
constexpr int64_t kPaddingId = 1;
constexpr RelativeBuckets kBuckets{.num_buckets = 32, .max_distance = 128, .is_bidirectional = true};

BertFields mpnet_fields(const ConfigReader& config) {
  const int64_t buckets = config.get_int_or("relative_attention_num_buckets", kBuckets.num_buckets, kSize);
  if (buckets != kBuckets.num_buckets) {
    throw CheckpointError({.where = "config.json, relative_attention_num_buckets",
                           .given = std::to_string(buckets),
                           .expected = "32, the only number that transformers supports for MPNet"});
  }
  BertFields c = bert_fields(config, {.type_vocab_size = 0});
  c.type_vocab_size = 0;
  if (c.vocab_size <= kPaddingId || c.max_position_embeddings <= kPaddingId + 1) {
    throw CheckpointError({.where = "config.json, vocab_size and max_position_embeddings",
                           .given = std::to_string(c.vocab_size) + " and " + std::to_string(c.max_position_embeddings),
                           .expected = "more than 1 token and more than 2 positions: padding has number 1 of both"});
  }
  return c;
}

TextModelFacts facts_of(const BertFields& c) {
  TextModelFacts facts = bert_facts("MPNet", "mpnet", c);
  facts.max_length = c.max_position_embeddings - kPaddingId - 1;
  return facts;
}

// The sum of word and position embeddings, normalised; [batch, seq, hidden_size].
Value embed(const Scope& s, const BertFields& c, const TextInputs& in) {
  const Positions positions = positions_after(kPaddingId, in);
  const Value words = word_embedding(s / "word_embeddings", in.input_ids, c.vocab_size, c.hidden_size, kPaddingId);
  const Value position_embeddings = embedding(s / "position_embeddings", positions.ids, c.max_position_embeddings,
                                              c.hidden_size, positions.padding_id);
  return dropout(s, layer_norm(s / "LayerNorm", words + position_embeddings, c.layer_norm_eps), c.hidden_dropout_prob);
}

Value self_attention(const Scope& s, const BertFields& c, const Value& x, const Value& bias) {
  const Value attended = nn::self_attention(s, x, bias,
                                            {.heads = c.num_attention_heads,
                                             .head_size = c.hidden_size / c.num_attention_heads,
                                             .dropout = c.attention_probs_dropout_prob,
                                             .query = "q",
                                             .key = "k",
                                             .value = "v"});
  return linear(s / "o", attended, c.hidden_size, nn::rows());
}

// bias  the bias of the scores, [batch, heads, seq, seq]
Value encoder_layer(const Scope& s, const BertFields& c, const Value& x, const Value& bias) {
  const Scope attention = s / "attention";
  const Value attended = dropout(attention, self_attention(attention / "attn", c, x, bias), c.hidden_dropout_prob);
  const Value h = layer_norm(attention / "LayerNorm", x + attended, c.layer_norm_eps);
  return bert_feed_forward(s, c, h, h);
}

class MPNet final : public TextBody {
 public:
  explicit MPNet(const BertFields& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "mpnet", encoder = s / "encoder";
    Values x{embed(s / "embeddings", c_, in)};
    const RelativeBias by_distance{.buckets = kBuckets, .heads = c_.num_attention_heads};
    const Value bias =
        bias_of_mask(in) + relative_bias(encoder / "relative_attention_bias", by_distance, in.input_ids.shape()[1]);
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      x.push_back(nn::remat(s, x.back(), encoder_layer(encoder / "layer" / i, c_, x.back(), bias)));
    }
    return x;
  }

  Value pooler_output(const Scope& root, const Value& x) const override { return pooled(root, x); }

  static Value pooled(const Scope& root, const Value& x) { return bert_pooler(root / "mpnet" / "pooler", x); }

 private:
  BertFields c_;
};

Value mpnet_sequence_classification(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return roberta_classifier(root, c, c.hidden_dropout_prob, in);
}

Value mpnet_multiple_choice(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return classifier(root, MPNet::pooled(root, in.x), 1, c.hidden_dropout_prob);
}

Value mpnet_masked_lm(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return roberta_masked_lm(root, "mpnet", c, in);
}

}  // namespace

std::unique_ptr<TextModel> mpnet(const io::JsonObject& config) {
  const BertFields c = mpnet_fields(config);
  return std::make_unique<TextModel>(
      facts_of(c), std::make_unique<MPNet>(c),
      Heads{{HeadKind::kSequenceClassification, head_of(c, mpnet_sequence_classification)},
            {HeadKind::kTokenClassification, token_classification(c.hidden_dropout_prob)},
            {HeadKind::kQuestionAnswering, question_answering()},
            {HeadKind::kMultipleChoice, head_of(c, mpnet_multiple_choice)},
            {HeadKind::kMaskedLM, head_of(c, mpnet_masked_lm)}});
}

}  // namespace portatune::models
