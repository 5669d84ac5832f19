// Initial values that layers of several audio models have.
#pragma once

#include <cmath>

#include "portatune/nn.h"

namespace portatune::models {

/// Uniform numbers from `low` to `high`.
inline nn::Initializer uniform_between(double low, double high) {
  return {
      .kind = nn::Initializer::Kind::kUniform, .stddev = (high - low) / 2 / std::sqrt(3.0), .mean = (low + high) / 2};
}

}  // namespace portatune::models
