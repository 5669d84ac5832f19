// What verbs over several datasets have in common.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {

/// errors  UsageError if there are none
std::vector<StagePtr> stages_of(std::string_view verb, const std::vector<Dataset>& datasets);

/// Passes over several datasets; null are those that are over.
using Iterators = std::vector<std::unique_ptr<Iterator>>;
Iterators iterate_all(const std::vector<StagePtr>& stages, Pass pass);

nlohmann::json states_of(const Iterators& iterators);
/// saved   its "inputs" is what states_of() gave
/// errors  DataError
void restore_all(Iterators& iterators, const SavedState& saved);

}  // namespace portatune::data
