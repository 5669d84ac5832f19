// Models whose rows cannot be packed.
#pragma once

#include "portatune/models.h"

namespace portatune::models {

/// A body that refuses packed inputs.
class OneTextPerRow : public TextBody {};

/// False if the model's body refuses packed inputs.
inline bool can_be_packed(const TextModel& model) {
  return dynamic_cast<const OneTextPerRow*>(&model.body()) == nullptr;
}

}  // namespace portatune::models
