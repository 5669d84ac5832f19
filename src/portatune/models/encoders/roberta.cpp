#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

TextModelFacts facts_of(std::string class_prefix, const BertFields& c) {
  TextModelFacts facts = bert_facts(std::move(class_prefix), "roberta", c);
  facts.max_length = c.max_position_embeddings - c.pad_token_id - 1;
  return facts;
}

class Roberta final : public TextBody {
 public:
  explicit Roberta(const BertFields& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "roberta";
    const Positions positions = positions_after(c_.pad_token_id, in);
    const Value x = bert_embeddings(s / "embeddings", c_, in, positions, c_.hidden_size);
    return bert_layers(s / "encoder", c_, x, mask_of(in));
  }

  Value pooler_output(const Scope& root, const Value& x) const override { return pooled(root, x); }

  static Value pooled(const Scope& root, const Value& x) { return bert_pooler(root / "roberta" / "pooler", x); }

 private:
  BertFields c_;
};

Value roberta_sequence_classification(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return roberta_classifier(root, c, c.head_dropout(), in);
}

Value roberta_multiple_choice(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return classifier(root, Roberta::pooled(root, in.x), 1, c.hidden_dropout_prob);
}

Value roberta_language_model(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return roberta_masked_lm(root, "roberta", c, in);
}

std::unique_ptr<TextModel> make(const std::string& class_prefix, const io::JsonObject& config) {
  const BertFields c = bert_fields(config, {.pad_token_id = 1});
  if (c.pad_token_id < 0 || c.pad_token_id + 1 >= c.max_position_embeddings) {
    throw CheckpointError({.where = "config.json, pad_token_id",
                           .given = std::to_string(c.pad_token_id) + ", with max_position_embeddings " +
                                    std::to_string(c.max_position_embeddings),
                           .expected = "at least 0, and smaller than the number of positions"});
  }
  return std::make_unique<TextModel>(
      facts_of(class_prefix, c), std::make_unique<Roberta>(c),
      Heads{{HeadKind::kSequenceClassification, head_of(c, roberta_sequence_classification)},
            {HeadKind::kTokenClassification, token_classification(c.head_dropout())},
            {HeadKind::kQuestionAnswering, question_answering()},
            {HeadKind::kMultipleChoice, head_of(c, roberta_multiple_choice)},
            {HeadKind::kMaskedLM, head_of(c, roberta_language_model)}});
}

}  // namespace

std::unique_ptr<TextModel> roberta(const io::JsonObject& config) { return make("Roberta", config); }
std::unique_ptr<TextModel> xlm_roberta(const io::JsonObject& config) { return make("XLMRoberta", config); }

}  // namespace portatune::models
