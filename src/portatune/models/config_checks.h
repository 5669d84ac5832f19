// Checks of config.json that architectures share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "portatune/io/text/json.h"

namespace portatune::models {

/// Ranges of sizes and rates.
inline constexpr io::IntRange kSize{1, 1 << 20};
inline constexpr io::FloatRange kRate{0, 0.999};

/// Throws a CheckpointError that names the key unless nn::activate() knows the activation.
void require_activation(std::string_view key, const std::string& activation);

/// Throws a CheckpointError that names both keys unless `value` is a multiple of `factor`.
void require_multiple(std::string_view key, int64_t value, std::string_view factor_key, int64_t factor);

}  // namespace portatune::models
