// Common functions of verbs over several datasets.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {

/// The stages of the datasets.
/// errors  UsageError if there are none
std::vector<StagePtr> stages_of(std::string_view verb, const std::vector<Dataset>& datasets);

/// Passes over several datasets; null for passes that have ended.
using Iterators = std::vector<std::unique_ptr<Iterator>>;
Iterators iterate_all(const std::vector<StagePtr>& stages, Pass pass);

nlohmann::json states_of(const Iterators& iterators);
/// saved   state with a result of states_of() as "inputs"
/// errors  DataError
void restore_all(Iterators& iterators, const SavedState& saved);

}  // namespace portatune::data
