// The head of wav2vec 2.0 for pretraining: frames as pairs of codevectors, and states that predict them.
#pragma once

#include <cstdint>

#include "portatune/media_models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// The fields of config.json.
struct ContrastiveFields {
  int64_t codevector_dim = 256;
  int64_t proj_codevector_dim = 256;
  int64_t num_codevector_groups = 2;
  int64_t num_codevectors_per_group = 320;
  int64_t num_negatives = 100;
  double feat_quantizer_dropout = 0;
  double contrastive_logits_temperature = 0.1;
  double diversity_loss_weight = 0.1;

  ContrastiveFacts facts(std::string class_name) const;
};

/// errors  CheckpointError for a value out of range
ContrastiveFields contrastive_fields(const ConfigReader& config);

/// frames   results of the convolutions, as the projection reads them: [batch, frames, channels]
/// x        the last states, [batch, frames, hidden_size]
/// source   Baevski et al. 2020, arXiv:2006.11477, section 2
ContrastiveStates contrastive_states_of(const nn::Scope& root, const ContrastiveFields& c, const Value& frames,
                                        const Value& x, const GumbelChoice& choice);

}  // namespace portatune::models
