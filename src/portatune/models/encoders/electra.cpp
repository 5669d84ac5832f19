#include "portatune/error.h"
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

// The fields of config.json that ELECTRA has in addition to BERT's, with their names there.
struct ElectraConfig : BertFields {
  int64_t embedding_size = 128;
  // Fields of the head for multiple choice.
  bool summary_use_proj = true;
  std::string summary_activation = "gelu";  // empty: none
  double summary_last_dropout = 0.1;
};

ElectraConfig electra_config(const ConfigReader& config) {
  ElectraConfig c{bert_fields(config, {})};
  config.read("embedding_size", c.embedding_size, kSize);
  const std::string summary_type = config.get_string_or("summary_type", "first");
  if (summary_type != "first") {
    throw CheckpointError({.where = "config.json, summary_type",
                           .given = "\"" + summary_type + "\"",
                           .expected = "\"first\", the only supported kind of summary"});
  }
  config.read("summary_use_proj", c.summary_use_proj);
  if (config.type_of("summary_activation") == "null") {
    c.summary_activation.clear();
  } else {
    config.read_activation("summary_activation", c.summary_activation);
  }
  config.read("summary_last_dropout", c.summary_last_dropout, kRate);
  return c;
}

// Both models of ELECTRA, with the same body: the discriminator, which is fine-tuned, and the generator, a masked
// language model.
class Electra final : public TextBody {
 public:
  explicit Electra(const ElectraConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "electra";
    Value x = bert_embeddings(s / "embeddings", c_, in, {positions_of(in)}, c_.embedding_size);
    if (c_.embedding_size != c_.hidden_size) x = linear(s / "embeddings_project", x, c_.hidden_size);
    return bert_layers(s / "encoder", c_, x, mask_of(in));
  }

 private:
  ElectraConfig c_;
};

Value sequence_classification(const Scope& root, const ElectraConfig& c, const HeadInputs& in) {
  const Scope s = root / "classifier";
  const Value first = dropout(s, nn::first_token(in.x), c.head_dropout());
  const Value h = dropout(s, gelu(linear(s / "dense", first, c.hidden_size)), c.head_dropout());
  return logits(s / "out_proj", h, in.num_labels);
}

Value multiple_choice(const Scope& root, const ElectraConfig& c, const HeadInputs& in) {
  const Scope s = root / "sequence_summary";
  Value summary = nn::first_token(in.x);
  if (c.summary_use_proj) summary = linear(s / "summary", summary, c.hidden_size);
  if (!c.summary_activation.empty()) summary = nn::activate(c.summary_activation, summary);
  return logits(root / "classifier", dropout(s, summary, c.summary_last_dropout), 1);
}

Value masked_lm(const Scope& root, const ElectraConfig& c, const HeadInputs& in) {
  const Scope s = root / "generator_predictions";
  const Value dense = gelu(linear(s / "dense", in.x, c.embedding_size));
  const Value h = layer_norm(s / "LayerNorm", dense, c.layer_norm_eps);
  return lm_projection(root / "generator_lm_head", h,
                       {"electra.embeddings.word_embeddings.weight", c.tie_word_embeddings, c.vocab_size});
}

Value replaced_token_detection(const Scope& root, const ElectraConfig& c, const HeadInputs& in) {
  const Scope s = root / "discriminator_predictions";
  const Value dense = nn::activate(c.hidden_act, linear(s / "dense", in.x, c.hidden_size));
  const Value by_token = logits(s / "dense_prediction", dense, 1);
  Shape tokens = by_token.shape();
  tokens.erase(tokens.rank() - 1);
  return reshape(by_token, tokens);
}

}  // namespace

std::unique_ptr<TextModel> electra(const io::JsonObject& config) {
  const ElectraConfig c = electra_config(config);
  return std::make_unique<TextModel>(bert_facts("Electra", "electra", c), std::make_unique<Electra>(c),
                                     Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
                                           {HeadKind::kTokenClassification, token_classification(c.head_dropout())},
                                           {HeadKind::kQuestionAnswering, question_answering()},
                                           {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
                                           {HeadKind::kMaskedLM, head_of(c, masked_lm)},
                                           {HeadKind::kReplacedTokenDetection, head_of(c, replaced_token_detection)}});
}

}  // namespace portatune::models
