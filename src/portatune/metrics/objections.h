// Objections of several metrics to an example (Accumulator::objection).
#pragma once

#include <cmath>

namespace portatune::metrics {

/// The objection to a prediction or a target that is not finite.
inline const char* objection_to_numbers(float prediction, float target) {
  return std::isfinite(prediction) && std::isfinite(target) ? nullptr : "finite numbers";
}

/// The objection to a prediction or a target that is no integer. A float32 holds integers exactly up to 2^24.
inline const char* objection_to_ids(float prediction, float target) {
  const auto is_id = [](float x) { return std::trunc(x) == x && std::abs(x) <= 0x1p24f; };
  return is_id(prediction) && is_id(target) ? nullptr : "class ids";
}

}  // namespace portatune::metrics
