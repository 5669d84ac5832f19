#include "portatune/data/verbs/several/several.h"

#include <nlohmann/json.hpp>

#include "portatune/error.h"

namespace portatune::data {

struct DatasetAccess {
  static const StagePtr& stage_of(const Dataset& dataset) { return dataset.stage_; }
};

std::vector<StagePtr> stages_of(std::string_view verb, const std::vector<Dataset>& datasets) {
  if (datasets.empty()) {
    throw UsageError({.where = std::string(verb), .given = "no datasets", .expected = "at least one"});
  }
  std::vector<StagePtr> stages;
  for (const Dataset& dataset : datasets) stages.push_back(DatasetAccess::stage_of(dataset));
  return stages;
}

Iterators iterate_all(const std::vector<StagePtr>& stages, Pass pass) {
  Iterators iterators;
  for (const StagePtr& stage : stages) iterators.push_back(stage->iterate(pass));
  return iterators;
}

nlohmann::json states_of(const Iterators& iterators) {
  nlohmann::json states = nlohmann::json::array();
  for (const auto& iterator : iterators) states.push_back(iterator ? iterator->state() : nlohmann::json());
  return states;
}

void restore_all(Iterators& iterators, const SavedState& saved) {
  const nlohmann::json& states = saved.part("inputs");
  if (!states.is_array() || states.size() != iterators.size()) {
    saved.refuse("inputs", std::to_string(iterators.size()) + " states, one for each dataset");
  }
  for (size_t i = 0; i < iterators.size(); ++i) {
    if (states[i].is_null()) {
      iterators[i].reset();
    } else {
      iterators[i]->restore(states[i]);
    }
  }
}

}  // namespace portatune::data
