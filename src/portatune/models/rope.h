// Rotary position embeddings as config.json describes them: frequencies, and the tables that rotary() takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/graph.h"

namespace portatune::io {
class JsonObject;
}

namespace portatune::models {

/// The fields of config.json's "rope_parameters", or of "rope_scaling" with "rope_theta" beside it, as it was written
/// before transformers 5.
struct RopeParameters {
  std::string rope_type = "default";  ///< "default", "linear", "dynamic", "yarn", "longrope" or "llama3"
  double rope_theta = 10000;
  int64_t original_max_position_embeddings = 0;  ///< of yarn, longrope and llama3
  std::optional<double> factor;                  ///< of all but default; yarn and longrope can go without
  std::optional<double> attention_factor;        ///< of yarn and longrope
  double low_freq_factor = 1, high_freq_factor = 4;
  double beta_fast = 32, beta_slow = 1;
  double mscale = 0, mscale_all_dim = 0;  ///< of yarn; 0: not given
  bool truncate = true;
  std::vector<double> short_factor, long_factor;  ///< of longrope, head_size / 2 each
};

/// Reads them from config.json. CheckpointError for an unknown type, a value out of range or one that is missing.
/// default_theta   where the file has none
RopeParameters rope_parameters(const io::JsonObject& config, double default_theta, int64_t max_position_embeddings);

/// How fast the angle of each pair of elements grows with the position, and what cos and sin are multiplied with.
struct RopeFrequencies {
  std::vector<float> inverse;  ///< head_size / 2 of them, in radians a position
  double attention_factor = 1;
};

/// The frequencies for sequences of at most `seq` tokens, on which those of the types dynamic and longrope depend.
/// CheckpointError if the head size is odd or the lists of longrope are of another length.
/// source: transformers, ROPE_INIT_FUNCTIONS; Peng et al. 2023, arXiv:2309.00071 (yarn); Ding et al. 2024,
/// arXiv:2402.13753 (longrope)
RopeFrequencies rope_frequencies(const RopeParameters& p, int64_t head_size, int64_t max_position_embeddings,
                                 int64_t seq);

/// Cosines and sines of the angles, float32 [positions..., head_size / 2].
struct RopeTables {
  Value cos, sin;
};
/// positions   int32, of any shape
RopeTables rope_tables(const RopeFrequencies& frequencies, const Value& positions);

}  // namespace portatune::models
