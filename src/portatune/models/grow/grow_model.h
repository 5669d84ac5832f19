// A larger model from a trained smaller one: more layers, and wider feed-forward layers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "portatune/json_object.h"
#include "portatune/models/grow/layer_origins.h"

namespace portatune::grow {

struct GrowthOptions {
  int64_t layers = 0;             ///< number of layers, of both stacks of an encoder-decoder model; 0: as before
  int64_t decoder_layers = 0;     ///< number of layers of the decoder of an encoder-decoder model; 0: `layers`
  Depth depth = Depth::kStack;    ///< origin of additional layers
  int64_t intermediate_size = 0;  ///< features in the middle of a feed-forward layer, a multiple; 0: as before
  /// Standard deviation of the noise on copied features, as a multiple of that of the weights. 0: copies are equal, and
  /// remain so in training, as their gradients are equal.
  double noise = 0.01;
  uint64_t seed = 0;  ///< seed of the noise

  bool has_size() const { return layers > 0 || decoder_layers > 0 || intermediate_size > 0; }
  void describe(OptionFields& fields);
};

/// The sizes of the layers of an encoder or a decoder.
struct StackSizes {
  int64_t layers = 0, intermediate_size = 0;
};

/// What grow_model() has changed; the encoder before the decoder.
struct Growth {
  std::vector<StackSizes> before, after;
  int64_t parameters_before = 0, parameters = 0;  ///< number of elements in the files of weights
};

/// Writes a larger model. Copies of features follow the originals in both kernels of a feed-forward layer, and the
/// second kernel is divided by the number of copies: without noise the model computes the same. With Depth::kZero,
/// additional layers return their input, and the model also computes the same. Weights keep their types.
/// output   a new or empty folder
/// others   names of further files in the folder of `model` to copy, if there are any
/// errors   UsageError for an option that does not fit the model, and for `output`; CheckpointError for a model without
///          numbered layers, or with weights that do not fit its config.json; those of hub::ModelFolder::open
/// source   Gong et al. 2019, "Efficient training of BERT by progressively stacking"; Chen et al. 2015,
///          arXiv:1511.05641; Gu et al. 2020, arXiv:2010.12562
Growth grow_model(const std::filesystem::path& model, const std::filesystem::path& output, const GrowthOptions& options,
                  const std::vector<std::string>& others = {});

/// Checks that a model can grow several times, as far as its config.json tells.
/// errors  UsageError for an option that does not fit the model; CheckpointError for a model without numbered layers
void check_growth(const io::JsonObject& config, const std::vector<GrowthOptions>& stages);

}  // namespace portatune::grow
