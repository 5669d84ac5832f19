#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that ALBERT has in addition to BERT's, with their names there.
struct AlbertConfig : BertFields {
  int64_t embedding_size = 128;
  int64_t num_hidden_groups = 1;
  int64_t inner_group_num = 1;
  double classifier_dropout_prob = 0.1;
};

Value self_attention(const Scope& s, const AlbertConfig& c, const Value& x, const Value& mask) {
  const Value attended = bert_self_attention(s, c, x, mask);
  const Value projected = dropout(s, linear(s / "dense", attended, c.hidden_size, nn::rows()), c.hidden_dropout_prob);
  return layer_norm(s / "LayerNorm", x + projected, c.layer_norm_eps);
}

Value encoder_layer(const Scope& s, const AlbertConfig& c, const Value& x, const Value& mask) {
  const Value h = self_attention(s / "attention", c, x, mask);
  const Value expanded = linear(s / "ffn", h, c.intermediate_size, nn::columns());
  const Value y = linear(s / "ffn_output", nn::activate(c.hidden_act, expanded), c.hidden_size, nn::rows());
  return layer_norm(s / "full_layer_layer_norm", h + y, c.layer_norm_eps);
}

// The group whose parameters layer i uses, computed as in transformers.
int64_t group_of(const AlbertConfig& c, int64_t i) {
  const double layers_per_group = static_cast<double>(c.num_hidden_layers) / static_cast<double>(c.num_hidden_groups);
  return static_cast<int64_t>(static_cast<double>(i) / layers_per_group);
}

AlbertConfig albert_config(const ConfigReader& config) {
  config.ignore({"down_scale_factor", "gap_size", "layers_to_keep", "net_structure_type", "num_memory_blocks"});
  AlbertConfig c{
      bert_fields(config, {.hidden_act = "gelu_new", .hidden_dropout_prob = 0, .attention_probs_dropout_prob = 0})};
  config.read("embedding_size", c.embedding_size, kSize);
  config.read("num_hidden_groups", c.num_hidden_groups, {1, c.num_hidden_layers});
  config.read("inner_group_num", c.inner_group_num, kLayers);
  config.read("classifier_dropout_prob", c.classifier_dropout_prob, kRate);
  return c;
}

class Albert final : public TextBody {
 public:
  explicit Albert(const AlbertConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "albert", encoder = s / "encoder";
    const Value mask = mask_of(in);
    const Value narrow = bert_embeddings(s / "embeddings", c_, in, {positions_of(in)}, c_.embedding_size);
    Values x{linear(encoder / "embedding_hidden_mapping_in", narrow, c_.hidden_size)};
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      const Scope group = encoder / "albert_layer_groups" / group_of(c_, i) / "albert_layers";
      for (int64_t j = 0; j < c_.inner_group_num; ++j) {
        x.push_back(nn::remat(s, x.back(), encoder_layer(group / j, c_, x.back(), mask)));
      }
    }
    return x;
  }

  Value pooler_output(const Scope& root, const Value& x) const override { return pooled(root, c_, x); }

  static Value pooled(const Scope& root, const AlbertConfig& c, const Value& x) {
    return tanh(linear(root / "albert" / "pooler", nn::first_token(x), c.hidden_size));
  }

 private:
  AlbertConfig c_;
};

Value sequence_classification(const Scope& root, const AlbertConfig& c, const HeadInputs& in) {
  return classifier(root, Albert::pooled(root, c, in.x), in.num_labels, c.classifier_dropout_prob);
}

Value multiple_choice(const Scope& root, const AlbertConfig& c, const HeadInputs& in) {
  return classifier(root, Albert::pooled(root, c, in.x), 1, c.classifier_dropout_prob);
}

Value masked_lm(const Scope& root, const AlbertConfig& c, const HeadInputs& in) {
  const Scope s = root / "predictions";
  const Value dense = nn::activate(c.hidden_act, linear(s / "dense", in.x, c.embedding_size));
  const Value h = layer_norm(s / "LayerNorm", dense, c.layer_norm_eps);
  return lm_decoder(s, h, {"albert.embeddings.word_embeddings.weight", c.tie_word_embeddings, c.vocab_size});
}

// ALBERT's objective: the two texts are in order (0) or swapped (1).
Value sentence_order(const Scope& root, const AlbertConfig& c, const HeadInputs& in) {
  return classifier(root / "sop_classifier", Albert::pooled(root, c, in.x), 2, c.classifier_dropout_prob);
}

}  // namespace

std::unique_ptr<TextModel> albert(const io::JsonObject& config) {
  const AlbertConfig c = albert_config(config);
  return std::make_unique<TextModel>(
      bert_facts("Albert", "albert", c), std::make_unique<Albert>(c),
      Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
            {HeadKind::kTokenClassification, token_classification(c.classifier_dropout_prob)},
            {HeadKind::kQuestionAnswering, question_answering()},
            {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
            {HeadKind::kMaskedLM, head_of(c, masked_lm)},
            {HeadKind::kPreTraining, head_of(c, sentence_order)}});
}

}  // namespace portatune::models
