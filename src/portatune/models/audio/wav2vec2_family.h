// wav2vec 2.0 and its relatives, which have the same layers under the same names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "portatune/media_models.h"
#include "portatune/models/audio/wav2vec2_adapters.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// What differs between the architectures.
struct Wav2Vec2Variant {
  std::string class_prefix;       ///< "Wav2Vec2"
  std::string base_prefix;        ///< "wav2vec2"
  bool normalizes_frames = true;  ///< whether the results of the convolutions are normalised before their projection
  /// Whether transformers has classes for frames, for vectors of speakers and for pretraining.
  bool has_further_heads = false;
  std::optional<AdapterFields> adapter = {};  ///< behind the encoder; none: the model has none
};

/// The model of a config.json.
/// errors  CheckpointError for a value out of range
std::unique_ptr<AudioModel> wav2vec2_family(const ConfigReader& config, const Wav2Vec2Variant& variant);

/// Throws a CheckpointError for a layer of the config that Portatune lacks.
void refuse_layer(const std::string& key, const std::string& given);

}  // namespace portatune::models
