// Bodies whose name depends on the head.
#pragma once

#include "portatune/models.h"

namespace portatune::models {

/// A body that may have another name in the class for question answering than in the other classes.
class NamedForAnswers {
 public:
  virtual ~NamedForAnswers() = default;

  /// TextBody::hidden_states() of the class for question answering.
  virtual Values hidden_states_for_answers(const nn::Scope& root, const TextInputs& in) const = 0;
};

/// TextBody::hidden_states() under the name of the body in the class of the head.
Values hidden_states_for(HeadKind head, const TextBody& body, const nn::Scope& root, const TextInputs& in);

}  // namespace portatune::models
