// Quotients of weights.
#pragma once

#include <optional>

namespace portatune::metrics {

/// part / whole; nothing if the whole is 0.
inline std::optional<double> quotient(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}

}  // namespace portatune::metrics
