#include "portatune/models/audio/spec_augment_fields.h"

namespace portatune::models {

SpecAugment spec_augment_of(const ConfigReader& config) {
  constexpr io::FloatRange kShare{0, 1};
  SpecAugment masks{.time = {.prob = 0.05, .min_masks = 2}, .feature = {}};
  config.read("mask_time_prob", masks.time.prob, kShare);
  config.read("mask_time_length", masks.time.length, kSize);
  config.read("mask_time_min_masks", masks.time.min_masks, {0, 1 << 20});
  config.read("mask_feature_prob", masks.feature.prob, kShare);
  config.read("mask_feature_length", masks.feature.length, kSize);
  config.read("mask_feature_min_masks", masks.feature.min_masks, {0, 1 << 20});
  return masks;
}

}  // namespace portatune::models
