// The config.json of a Colorization Transformer.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/media_models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// How a decoder is conditioned on a context: on queries, keys and values, on the results of the MLPs, and in norms.
struct ColTranConditions {
  bool skip = true;  ///< whether contexts are added to the input of a decoder
  bool cond_att_q = true, cond_att_k = true, cond_att_v = true;
  bool cond_att_scale = true;  ///< whether queries, keys and values are scaled, too
  std::string cond_att_act = "identity";
  std::string cond_mlp = "affine";  ///< "affine", "shift" or "none"
  std::string cond_mlp_act = "identity";
  bool cond_ln = true;
  std::string cond_ln_act = "identity";
  std::string cond_ln_seq = "sc";            ///< "sc": average over the picture, then channels; "cs": the reverse
  std::string cond_ln_sp_ave = "learnable";  ///< weights of that average: "learnable" or "mean"
};

/// The fields that determine the computation. They have the names of the original's configs.
struct ColTranConfig {
  std::string class_name;
  ColorStage stage = ColorStage::kColorizer;
  int64_t hidden_size = 512;
  int64_t ff_size = 512;
  int64_t num_heads = 4;
  int64_t num_encoder_layers = 4;
  int64_t num_outer_layers = 2, num_inner_layers = 2;
  int64_t downsample_res = 64;
  int64_t resolution = 256;
  double dropout = 0;
  bool has_parallel_head = true;  ///< "stage": "encoder_decoder" rather than "decoder"
  double loss_factor = 0.99;
  double encoder_loss_factor = 0.01;
  ColTranConditions conditions = {};

  ColorModelFacts facts() const;
};

/// Reads these fields. CheckpointError for a value out of range and for an unknown class.
ColTranConfig coltran_config(const ConfigReader& config);

}  // namespace portatune::models
