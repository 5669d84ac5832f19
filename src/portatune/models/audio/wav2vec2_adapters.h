// Layers that config.json of wav2vec 2.0 adds: an adapter behind the encoder, which shortens its frames, and an adapter
// of a language in each layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/media_models.h"
#include "portatune/models/config_reader.h"
#include "portatune/nn.h"

namespace portatune::models {

/// The adapter behind the encoder.
struct AdapterFields {
  int64_t kernel_size = 3;
  int64_t stride = 2;
  int64_t num_layers = 3;
  int64_t output_hidden_size;  ///< features of a frame behind the adapter

  /// The strides of its convolutions.
  std::vector<int64_t> strides() const { return std::vector(static_cast<size_t>(num_layers), stride); }
};

/// The fields of config.json; none without add_adapter.
/// errors  CheckpointError for a value out of range
std::optional<AdapterFields> adapter_fields(const ConfigReader& config);

/// Convolutions with gated linear units. Training drops none of them, as a dropped one would leave more frames.
/// x        [batch, frames, hidden_size]
/// returns  [batch, fewer frames, output_hidden_size]
/// source   Li et al. 2021, arXiv:2010.12829, figure 1
Value adapter(const nn::Scope& s, const AdapterFields& c, const Value& x);

/// Refuses a head for a model with an adapter behind its encoder. The classes of transformers for these heads refuse
/// such models, too, or lack a layer of their size.
/// head    what the head does: "classification"
/// errors  UsageError
void require_no_adapter(const AudioModelFacts& facts, const std::string& head);

/// What the adapter of a language adds to the output x of a layer.
/// size    its width: adapter_attn_dim of config.json
/// x       [batch, frames, hidden_size]
/// source  Pratap et al. 2023, arXiv:2305.13516, section 5.4
Value language_adapter(const nn::Scope& s, int64_t size, const Value& x);

}  // namespace portatune::models
