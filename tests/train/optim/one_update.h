// One update of one parameter, computed on the CPU.
#pragma once

#include <string>
#include <vector>

#include "graph/evaluate.h"
#include "portatune/train/optim/optimizer.h"

namespace portatune::test {

/// StepScalars as numbers.
struct Scalars {
  float learning_rate = 0.1f, updates = 1, factor = 1, makes_update = 1;
};

/// The weight and the slots after an update. `state` has them before it: arrays of one type, as the gradient.
inline std::vector<Tensor> one_update(const optim::Optimizer& optimizer, const std::vector<Tensor>& state,
                                      const Tensor& gradient, const Scalars& scalars) {
  const auto scalar = [](float value) { return constant(Tensor({}, {value})); };
  Values before;
  for (const Tensor& array : state) before.push_back(parameter("state", array.type()));
  const optim::UpdateRule rule = optimizer.rule({.learning_rate = scalar(scalars.learning_rate),
                                                 .updates = scalar(scalars.updates),
                                                 .factor = scalar(scalars.factor),
                                                 .makes_update = scalar(scalars.makes_update)});
  const optim::Update after =
      rule({.weight = before.front(), .slots = Values(before.begin() + 1, before.end())}, constant(gradient), {});
  Values results{after.weight};
  results.insert(results.end(), after.slots.begin(), after.slots.end());
  return evaluate(results, before, state);
}

/// A weight and its slots before the first update.
inline std::vector<Tensor> first_state(const optim::Optimizer& optimizer, const Tensor& weight) {
  const Shape& shape = weight.shape();
  std::vector<Tensor> state{weight};
  for (const optim::Slot& slot : optimizer.slots(shape.rank())) {
    state.emplace_back(TensorType{DType::kFloat32, slot.shape(shape)});
  }
  return state;
}

/// Names of the slots of a parameter.
inline std::vector<std::string> slot_names(const optim::Optimizer& optimizer, int64_t rank) {
  std::vector<std::string> names;
  for (const optim::Slot& slot : optimizer.slots(rank)) names.push_back(slot.name);
  return names;
}

}  // namespace portatune::test
