#include "portatune/models/architectures.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

class Bert final : public TextBody {
 public:
  explicit Bert(const BertFields& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "bert";
    const Value x = bert_embeddings(s / "embeddings", c_, in, {positions_of(in)}, c_.hidden_size);
    return bert_layers(s / "encoder", c_, x, mask_of(in));
  }

  Value pooler_output(const Scope& root, const Value& x) const override { return pooled(root, x); }

  static Value pooled(const Scope& root, const Value& x) { return bert_pooler(root / "bert" / "pooler", x); }

 private:
  BertFields c_;
};

Value sequence_classification(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return classifier(root, Bert::pooled(root, in.x), in.num_labels, c.head_dropout());
}

Value multiple_choice(const Scope& root, const BertFields& c, const HeadInputs& in) {
  return classifier(root, Bert::pooled(root, in.x), 1, c.head_dropout());
}

Value next_sentence(const Scope& root, const BertFields&, const HeadInputs& in) {
  return logits(root / "cls" / "seq_relationship", Bert::pooled(root, in.x), 2);
}

}  // namespace

std::unique_ptr<TextModel> bert(const io::JsonObject& config) {
  const BertFields c = bert_fields(config, {});
  return std::make_unique<TextModel>(bert_facts("Bert", "bert", c), std::make_unique<Bert>(c),
                                     Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
                                           {HeadKind::kTokenClassification, token_classification(c.head_dropout())},
                                           {HeadKind::kQuestionAnswering, question_answering()},
                                           {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
                                           {HeadKind::kMaskedLM, head_of(c, bert_masked_lm)},
                                           {HeadKind::kPreTraining, head_of(c, next_sentence)}});
}

}  // namespace portatune::models
