// The spectrograms of Whisper.
#pragma once

#include <string>

#include "portatune/media.h"
#include "portatune/media_models.h"

namespace portatune::tasks {

/// Requires that a feature extractor is Whisper's and makes spectrograms of this size.
/// file    of its settings, for errors
/// errors  CheckpointError for another one
void require_whisper_features(const audio::ExtractorConfig& config, const models::SpectrogramSize& size,
                              const std::string& file);

}  // namespace portatune::tasks
