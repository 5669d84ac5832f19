// The head of wav2vec 2.0 for speaker recognition.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/media_models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// The fields of config.json.
struct XVectorFields {
  std::vector<int64_t> tdnn_dim = {512, 512, 512, 512, 1500};
  std::vector<int64_t> tdnn_kernel = {5, 3, 3, 1, 1};
  std::vector<int64_t> tdnn_dilation = {1, 2, 3, 1, 1};
  int64_t xvector_output_dim = 512;

  /// The minimal number of frames of a recording: two of them are left after the layers, as a deviation needs.
  int64_t min_frames() const;
};

/// errors  CheckpointError for a value out of range
XVectorFields xvector_fields(const ConfigReader& config);

/// Layers over the time (TDNN), the mean and the standard deviation of their frames, and two linear layers.
/// x       [batch, frames, hidden_size]
/// frames  int32 [batch]: frames of each row without padding; absent: all frames count
/// source  Snyder et al. 2018, "X-Vectors: Robust DNN Embeddings for Speaker Recognition"
XVectors xvectors_of(const nn::Scope& root, const XVectorFields& c, const Value& x, const Value& frames,
                     int64_t num_labels);

}  // namespace portatune::models
