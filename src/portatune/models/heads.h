// Heads that several architectures have under the same names.
#pragma once

#include <string>

#include "portatune/models.h"

namespace portatune::models {

/// "a Bert checkpoint", for errors.
std::string name_of_checkpoint(const TextModelFacts& facts);

/// A head of a model with this config.
template <class Config>
Head head_of(const Config& c, Value (*logits)(const nn::Scope&, const Config&, const HeadInputs&)) {
  return [c, logits](const nn::Scope& root, const HeadInputs& in) { return logits(root, c, in); };
}

/// x [batch, seq, hidden] at each row's last position where `chosen` (bool [batch, seq]) is true, [batch, hidden]; at
/// the first position if it is true nowhere.
Value last_where(const Value& x, const Value& chosen);

/// A linear layer, float32 [..., size].
Value logits(const nn::Scope& s, const Value& x, int64_t size, const nn::LinearOptions& options = {});
/// "classifier" behind dropout, float32 [..., num_labels].
Value classifier(const nn::Scope& root, const Value& x, int64_t num_labels, double dropout);

/// classifier() of each token.
Head token_classification(double dropout);
/// "qa_outputs" of each token behind dropout.
Head question_answering(double dropout = 0);

}  // namespace portatune::models
