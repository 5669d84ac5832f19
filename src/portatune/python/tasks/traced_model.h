// The model as a forward pass in Python sees it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "portatune/models.h"
#include "portatune/nn.h"

namespace portatune::python {

/// The scope of the model's parameters, and its body, which is of one of the two kinds. Valid during a forward pass.
class TracedModel : public nn::Scope {
 public:
  TracedModel(const nn::Scope& root, const models::TextModel& model) : Scope(root), text(&model) {}
  TracedModel(const nn::Scope& root, const models::ImageModel& model) : Scope(root), image(&model) {}

  /// The hidden states for an input, which `make` computes for the first call with this input alone: encode() and
  /// hidden_states() of Python share the body.
  const Values& states_for(const Value& input, const std::function<Values()>& make) const {
    for (const auto& [known, states] : states_) {
      if (known == input) return states;
    }
    return states_.emplace_back(input, make()).second;
  }

  const models::TextModel* const text = nullptr;
  const models::ImageModel* const image = nullptr;

 private:
  mutable std::vector<std::pair<Value, Values>> states_;
};

}  // namespace portatune::python
