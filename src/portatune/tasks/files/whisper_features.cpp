#include "portatune/tasks/files/whisper_features.h"

#include "portatune/error.h"

namespace portatune::tasks {

void require_whisper_features(const audio::ExtractorConfig& config, const models::SpectrogramSize& size,
                              const std::string& file) {
  const int64_t frames = config.chunk_length * config.sampling_rate / config.hop_length;
  const bool fits =
      config.features == audio::Features::kWhisperMel && frames == size.frames && config.feature_size == size.mel_bins;
  if (fits) return;
  throw CheckpointError({.where = file,
                         .given = "settings that do not fit the model",
                         .expected = "WhisperFeatureExtractor with feature_size " + std::to_string(size.mel_bins) +
                                     " and " + std::to_string(size.frames) + " frames, as in config.json"});
}

}  // namespace portatune::tasks
