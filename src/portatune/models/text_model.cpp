#include <algorithm>

#include "portatune/error.h"
#include "portatune/models.h"
#include "portatune/models/heads.h"
#include "portatune/models/named_for_answers.h"

namespace portatune::models {
namespace {

struct HeadName {
  HeadKind kind;
  const char *class_ending, *words;
};
constexpr HeadName kNames[] = {
    {HeadKind::kSequenceClassification, "ForSequenceClassification", "sequence classification"},
    {HeadKind::kTokenClassification, "ForTokenClassification", "token classification"},
    {HeadKind::kQuestionAnswering, "ForQuestionAnswering", "question answering"},
    {HeadKind::kMultipleChoice, "ForMultipleChoice", "multiple choice"},
    {HeadKind::kMaskedLM, "ForMaskedLM", "masked language modelling"},
    {HeadKind::kPreTraining, "ForPreTraining", "next sentence prediction"},
    {HeadKind::kReplacedTokenDetection, "ForPreTraining", "detection of replaced tokens"},
    {HeadKind::kCausalLM, "ForCausalLM", "causal language modelling"},
    {HeadKind::kSeq2SeqLM, "ForConditionalGeneration", "text to text"},
};

const HeadName& name_of(HeadKind kind) { return *std::ranges::find(kNames, kind, &HeadName::kind); }

}  // namespace

std::string name_of_checkpoint(const TextModelFacts& facts) {
  const bool has_vowel = std::string_view("AEIOU").find(facts.class_prefix.front()) != std::string_view::npos;
  return (has_vowel ? "an " : "a ") + facts.class_prefix + " checkpoint";
}

Value TextBody::pooler_output(const nn::Scope&, const Value&) const { return {}; }

Values hidden_states_for(HeadKind head, const TextBody& body, const nn::Scope& root, const TextInputs& in) {
  const auto* named = dynamic_cast<const NamedForAnswers*>(&body);
  return named != nullptr && head == HeadKind::kQuestionAnswering ? named->hidden_states_for_answers(root, in)
                                                                  : body.hidden_states(root, in);
}

std::string TextModel::class_name(HeadKind kind) const {
  if (kind == HeadKind::kCausalLM && !facts_.causal_lm_class.empty()) return facts_.causal_lm_class;
  if (kind == HeadKind::kSeq2SeqLM && seq2seq() != nullptr && !seq2seq()->facts().lm_class.empty()) {
    return seq2seq()->facts().lm_class;
  }
  return facts_.class_prefix + name_of(kind).class_ending;
}

Value TextModel::state_for(HeadKind head, const nn::Scope& root, const TextInputs& in) const {
  return seq2seq() != nullptr ? seq2seq()->states_of_text(root, in, head).last()
                              : hidden_states_for(head, body(), root, in).back();
}

Value TextModel::logits(HeadKind kind, const nn::Scope& root, const HeadInputs& in) const {
  if (const auto head = heads_.find(kind); head != heads_.end()) return head->second(root, in);
  std::string known;
  for (const auto& [other, head] : heads_) known += (known.empty() ? "" : ", ") + std::string(name_of(other).words);
  throw UsageError({.where = "the head of the model",
                    .given = std::string(name_of(kind).words) + " for " + name_of_checkpoint(facts_),
                    .expected = "a head of this architecture in transformers: " + known,
                    .fix = "choose another task, or a checkpoint of another architecture"});
}

}  // namespace portatune::models
