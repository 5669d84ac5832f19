// The weight of a row in the loss.
#pragma once

#include "portatune/data.h"

namespace portatune::tasks {

/// Gives an example the weight of its row, if the row has one as an array (data::kExampleWeight).
inline data::Example& set_weight_of(const data::Example& row, data::Example& example) {
  if (!row.has(data::kExampleWeight)) return example;
  const auto* weight = std::get_if<Tensor>(&row.column(data::kExampleWeight));
  return weight == nullptr ? example : example.set(data::kExampleWeight, *weight);
}

}  // namespace portatune::tasks
