// Fields of config.json for SpecAugment.
#pragma once

#include "portatune/media_models.h"
#include "portatune/models/config_reader.h"

namespace portatune::models {

/// The masks, whether or not "apply_spec_augment" is set.
SpecAugment spec_augment_of(const ConfigReader& config);

}  // namespace portatune::models
