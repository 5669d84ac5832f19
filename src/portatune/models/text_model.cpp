#include "portatune/error.h"
#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

std::string_view suffix(HeadKind head) {
  switch (head) {
    case HeadKind::kSequenceClassification:
      return "ForSequenceClassification";
    case HeadKind::kTokenClassification:
      return "ForTokenClassification";
    case HeadKind::kQuestionAnswering:
      return "ForQuestionAnswering";
    case HeadKind::kMultipleChoice:
      return "ForMultipleChoice";
    case HeadKind::kMaskedLM:
      return "ForMaskedLM";
    case HeadKind::kPreTraining:
      return "ForPreTraining";
    case HeadKind::kCausalLM:
      return "ForCausalLM";
  }
  return {};
}

[[noreturn]] void refuse(const TextModelFacts& facts, const std::string& what) {
  const bool has_vowel = std::string_view("AEIOU").find(facts.class_prefix.front()) != std::string_view::npos;
  throw UsageError({.where = "the head of the model",
                    .given = what + (has_vowel ? " for an " : " for a ") + facts.class_prefix + " checkpoint",
                    .expected = "a head of this architecture in transformers",
                    .fix = "choose another task, or a checkpoint of another architecture"});
}

}  // namespace

std::string TextModel::class_name(HeadKind head) const { return facts_.class_prefix + std::string(suffix(head)); }

Value TextModel::next_hidden_state(const nn::Scope&, const TextInputs&, KeyValueCache&, const Value&) const {
  refuse(facts_, "generation");
}

KeyValueCache TextModel::empty_cache(int64_t, int64_t, DType) const { refuse(facts_, "generation"); }

Value TextModel::pooler_output(const nn::Scope&, const Value&) const { refuse(facts_, "a pooler"); }

Value TextModel::sequence_logits(const nn::Scope&, const TextInputs&, const Value&, int64_t) const {
  refuse(facts_, "sequence classification");
}

Value TextModel::token_logits(const nn::Scope& root, const Value& x, int64_t num_labels) const {
  const Value dropped = dropout(root / "classifier", x, facts_.classifier_dropout);
  return convert(linear(root / "classifier", dropped, num_labels), DType::kFloat32);
}

Value TextModel::span_logits(const nn::Scope& root, const Value& x) const {
  return convert(linear(root / "qa_outputs", x, 2), DType::kFloat32);
}

Value TextModel::choice_logits(const nn::Scope&, const TextInputs&, const Value&) const {
  refuse(facts_, "multiple choice");
}

Value TextModel::masked_lm_logits(const nn::Scope&, const Value&) const { refuse(facts_, "masked language modelling"); }

Value TextModel::next_sentence_logits(const nn::Scope&, const Value&) const {
  refuse(facts_, "next sentence prediction");
}

Value TextModel::causal_lm_logits(const nn::Scope&, const Value&) const { refuse(facts_, "causal language modelling"); }

}  // namespace portatune::models
