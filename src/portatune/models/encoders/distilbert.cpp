#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Initializer;
using nn::Scope;

constexpr double kLayerNormEps = 1e-12;

// The fields of config.json that determine the computation, with their names there.
struct DistilBertConfig {
  int64_t vocab_size = 30522;
  int64_t max_position_embeddings = 512;
  bool sinusoidal_pos_embds = false;
  int64_t n_layers = 6;
  int64_t n_heads = 12;
  int64_t dim = 768;
  int64_t hidden_dim = 3072;
  double dropout = 0.1;
  double attention_dropout = 0.1;
  double qa_dropout = 0.1;
  double seq_classif_dropout = 0.2;
  std::string activation = "gelu";
  double initializer_range = 0.02;
  bool tie_word_embeddings = true;
  int64_t pad_token_id = 0;
};

// Sinusoidal embeddings are only initial values: they are trained like others, as in transformers 5.
Value position_embeddings(const Scope& s, const DistilBertConfig& c, const TextInputs& in) {
  const Initializer normal{Initializer::Kind::kNormal, c.initializer_range};
  const Initializer sinusoids{Initializer::Kind::kSinusoids};
  const Value table =
      s.rounded_parameter("weight", {c.max_position_embeddings, c.dim}, c.sinusoidal_pos_embds ? sinusoids : normal);
  const Value rows =
      in.position_ids ? gather_rows(table, in.position_ids) : slice(table, 0, {0, in.input_ids.shape()[1]});
  return convert(rows, s.options().compute_dtype);
}

// The sum of word and position embeddings, normalised; [batch, seq, dim].
Value embed(const Scope& s, const DistilBertConfig& c, const TextInputs& in) {
  const Value words = word_embedding(s / "word_embeddings", in.input_ids, c.vocab_size, c.dim, c.pad_token_id);
  const Value positions = position_embeddings(s / "position_embeddings", c, in);  // [seq, dim] or [batch, seq, dim]
  return dropout(s, layer_norm(s / "LayerNorm", words + positions, kLayerNormEps), c.dropout);
}

Value self_attention(const Scope& s, const DistilBertConfig& c, const Value& x, const Value& mask) {
  const Value attended = nn::self_attention(s, x, mask,
                                            {.heads = c.n_heads,
                                             .head_size = c.dim / c.n_heads,
                                             .dropout = c.attention_dropout,
                                             .query = "q_lin",
                                             .key = "k_lin",
                                             .value = "v_lin"});
  return linear(s / "out_lin", attended, c.dim, nn::rows());
}

Value feed_forward(const Scope& s, const DistilBertConfig& c, const Value& x) {
  const Value expanded = nn::activate(c.activation, linear(s / "lin1", x, c.hidden_dim, nn::columns()));
  return dropout(s, linear(s / "lin2", expanded, c.dim, nn::rows()), c.dropout);
}

Value encoder_layer(const Scope& s, const DistilBertConfig& c, const Value& x, const Value& mask) {
  const Value attended = self_attention(s / "attention", c, x, mask);
  const Value h = layer_norm(s / "sa_layer_norm", x + attended, kLayerNormEps);
  return layer_norm(s / "output_layer_norm", h + feed_forward(s / "ffn", c, h), kLayerNormEps);
}

DistilBertConfig distilbert_config(const ConfigReader& config) {
  config.ignore({"tie_weights_", "output_past"});
  DistilBertConfig c;
  config.require("vocab_size", c.vocab_size, kVocabulary);
  config.read("max_position_embeddings", c.max_position_embeddings, kSize);
  config.read("sinusoidal_pos_embds", c.sinusoidal_pos_embds);
  config.require("n_layers", c.n_layers, kLayers);
  config.require("n_heads", c.n_heads, kSize);
  config.require("dim", c.dim, kSize);
  config.require("hidden_dim", c.hidden_dim, kSize);
  config.read("dropout", c.dropout, kRate);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("qa_dropout", c.qa_dropout, kRate);
  config.read("seq_classif_dropout", c.seq_classif_dropout, kRate);
  config.read_activation("activation", c.activation);
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  require_multiple("dim", c.dim, "n_heads", c.n_heads);
  return c;
}

TextModelFacts facts_of(const DistilBertConfig& c) {
  return {.class_prefix = "DistilBert",
          .base_prefix = "distilbert",
          .vocab_size = c.vocab_size,
          .hidden_size = c.dim,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_range};
}

class DistilBert final : public TextBody {
 public:
  explicit DistilBert(const DistilBertConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "distilbert";
    const Value mask = mask_of(in);
    Values x{embed(s / "embeddings", c_, in)};
    for (int64_t i = 0; i < c_.n_layers; ++i) {
      x.push_back(nn::remat(s, x.back(), encoder_layer(s / "transformer" / "layer" / i, c_, x.back(), mask)));
    }
    return x;
  }

 private:
  DistilBertConfig c_;
};

Value sequence_logits(const Scope& root, const DistilBertConfig& c, const Value& x, int64_t num_labels) {
  const Value h = relu(linear(root / "pre_classifier", nn::first_token(x), c.dim));
  return classifier(root, h, num_labels, c.seq_classif_dropout);
}

Value sequence_classification(const Scope& root, const DistilBertConfig& c, const HeadInputs& in) {
  return sequence_logits(root, c, in.x, in.num_labels);
}

Value multiple_choice(const Scope& root, const DistilBertConfig& c, const HeadInputs& in) {
  return sequence_logits(root, c, in.x, 1);
}

Value masked_lm(const Scope& root, const DistilBertConfig& c, const HeadInputs& in) {
  const Value dense = nn::activate(c.activation, linear(root / "vocab_transform", in.x, c.dim));
  const Value h = layer_norm(root / "vocab_layer_norm", dense, kLayerNormEps);
  return lm_projection(root / "vocab_projector", h,
                       {"distilbert.embeddings.word_embeddings.weight", c.tie_word_embeddings, c.vocab_size});
}

}  // namespace

std::unique_ptr<TextModel> distilbert(const io::JsonObject& config) {
  const DistilBertConfig c = distilbert_config(config);
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<DistilBert>(c),
                                     Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
                                           {HeadKind::kTokenClassification, token_classification(c.dropout)},
                                           {HeadKind::kQuestionAnswering, question_answering(c.qa_dropout)},
                                           {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
                                           {HeadKind::kMaskedLM, head_of(c, masked_lm)}});
}

}  // namespace portatune::models
