// Rotary position embeddings by config.json: frequencies, and tables for rotary().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/json_object.h"
#include "portatune/nn.h"

namespace portatune::models {

/// The fields of "rope_parameters" in config.json or, in files from before transformers 5, of "rope_scaling" and
/// "rope_theta".
struct RopeParameters {
  std::string rope_type = "default";  ///< "default", "linear", "dynamic", "yarn", "longrope" or "llama3"
  double rope_theta = 10000;
  double partial_rotary_factor = 1;              ///< part of each head that is rotated
  int64_t original_max_position_embeddings = 0;  ///< for yarn, longrope and llama3
  std::optional<double> factor;                  ///< for all types except default; optional for yarn and longrope
  std::optional<double> attention_factor;        ///< for yarn and longrope
  double low_freq_factor = 1, high_freq_factor = 4;
  double beta_fast = 32, beta_slow = 1;
  double mscale = 0, mscale_all_dim = 0;  ///< for yarn; 0: not given
  bool truncate = true;
  std::vector<double> short_factor, long_factor;  ///< for longrope, a number for each pair
};

/// Reads the parameters from config.json. CheckpointError for an unknown type, a value out of range or a missing one.
/// defaults   rope_theta and partial_rotary_factor if the file has none
RopeParameters rope_parameters(const io::JsonObject& config, const RopeParameters& defaults,
                               int64_t max_position_embeddings);
/// Reads them from an object in config.json, for models whose kinds of layers have different parameters.
/// rope   absent: the defaults
RopeParameters rope_parameters(const io::JsonObject& config, const std::optional<io::JsonObject>& rope,
                               const RopeParameters& defaults, int64_t max_position_embeddings);

/// The angle per position of each pair of elements, and the factor of cos and sin.
struct RopeFrequencies {
  std::vector<float> inverse;  ///< the frequency of each pair, in radians per position
  double attention_factor = 1;
};

/// The frequencies for sequences of at most `seq` tokens. They depend on `seq` for the types dynamic and longrope.
/// CheckpointError if an odd number of elements rotates, or if the lists of longrope have a wrong length.
/// source: transformers, ROPE_INIT_FUNCTIONS; Peng et al. 2023, arXiv:2309.00071 (yarn); Ding et al. 2024,
/// arXiv:2402.13753 (longrope)
RopeFrequencies rope_frequencies(const RopeParameters& p, int64_t head_size, int64_t max_position_embeddings,
                                 int64_t seq);

/// Cosines and sines of the angles, float32 [positions..., pairs].
struct RopeTables {
  Value cos, sin;
};
/// positions   int32, of any shape
RopeTables rope_tables(const RopeFrequencies& frequencies, const Value& positions);

/// The heads with queries and keys rotated by their positions.
nn::HeadsOfDevice rotated(nn::HeadsOfDevice heads, const RopeTables& tables);

}  // namespace portatune::models
