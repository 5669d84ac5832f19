// The tokens with which Whisper's decoder begins: they ask for a language and a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/json_object.h"

namespace portatune::generate {

/// What a model of speech shall write. An empty string leaves the choice to generation_config.json.
struct SpeechRequest {
  std::string language;  ///< of the recordings: "hi" or "Hindi"
  std::string task;      ///< "transcribe", or "translate" to English
};

/// The tokens before the text, as generate() of WhisperForConditionalGeneration chooses them without timestamps.
/// settings  generation_config.json
/// start     the first token
/// errors    UsageError for a request that the model does not know, and for a model of several languages without a
///           language, which transformers would detect; CheckpointError for faulty settings
std::vector<int32_t> speech_prompt(const io::JsonObject& settings, int32_t start, const SpeechRequest& request);

}  // namespace portatune::generate
