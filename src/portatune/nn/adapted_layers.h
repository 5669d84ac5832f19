// The layers that an adapter changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "portatune/nn.h"

namespace portatune::nn {

// Parameters of an adapter, inside the module of its layer. Only DoRA has magnitudes.
inline constexpr std::string_view kLoraA = "lora_A", kLoraB = "lora_B", kMagnitude = "lora_magnitude_vector";

/// The adapter of one linear layer.
struct AdaptedLayer {
  int64_t rank;
  double scale;
};
/// The adapter of a linear layer; none if the layer is no target.
/// path  "bert.encoder.layer.0.attention.self.query"
std::optional<AdaptedLayer> adapted_layer(const Lora& lora, std::string_view path);

/// Returns whether modules named by their end include this one: see Lora.
bool is_named(std::string_view path, std::string_view name);
/// The path of the layer whose A, B or magnitude a parameter is; empty for other parameters.
std::string_view layer_of_adapter(std::string_view parameter);
/// Returns whether a module of Lora::modules_to_save has this parameter.
bool is_saved(const Lora& lora, std::string_view parameter);
/// Returns whether a parameter is trained: A, B and magnitude of a layer, biases by Lora::bias, and what is_saved().
bool is_trained(const Lora& lora, std::string_view parameter);

}  // namespace portatune::nn
