// Numbers in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

namespace portatune::tasks {

/// The double with the fewest digits that distinguish the float from its neighbours: 0.1f is 0.1, not 0.10000000149.
double shortest(float value);
/// A list of such numbers.
nlohmann::ordered_json numbers(std::span<const float> values);

}  // namespace portatune::tasks
