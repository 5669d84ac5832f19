// The tokens with which Whisper's decoder begins: they ask for a language and a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/generation.h"
#include "portatune/json_object.h"
#include "portatune/text.h"

namespace portatune::generate {

/// What a model of speech shall write. An empty string leaves the choice to generation_config.json.
struct SpeechRequest {
  std::string language = {};  ///< of the recordings: "hi" or "Hindi"
  std::string task = {};      ///< "transcribe", or "translate" to English
  bool times = false;         ///< whether the parts of a text are between times
};

/// The tokens before a text.
struct SpeechPrompt {
  std::vector<int32_t> tokens;
  /// Tokens before these: previous_text(); empty: none.
  std::vector<int32_t> previous = {};
  /// The ids of all languages if that of each recording is to be detected, which is the second of `tokens`. Empty: it
  /// is among the tokens, or the model has one language.
  std::vector<int32_t> languages = {};

  /// Number of all tokens before the text.
  int64_t size() const { return std::ssize(previous) + std::ssize(tokens); }
};

/// The tokens before the text, as generate() of WhisperForConditionalGeneration chooses them, with the task transcribe
/// where nothing names one. Without a language, that of each recording is detected.
/// settings  generation_config.json
/// start     the first token
/// errors    UsageError for a request that the model does not know; CheckpointError for faulty settings
SpeechPrompt speech_prompt(const io::JsonObject& settings, int32_t start, const SpeechRequest& request);

/// The tokens of a text that represents what was said before, with names and spellings that the model should use:
/// get_prompt_ids() of WhisperTokenizer.
/// text    without spaces around it
/// errors  UsageError for a text with a special token, and for a tokenizer without <|startofprev|>
std::vector<int32_t> previous_text(const std::string& text, const text::Tokenizer& tokenizer);

/// The token before earlier texts: prev_sot_token_id of generation_config.json, else <|startofprev|>.
/// errors  UsageError for a model without such a token
int32_t start_of_previous(const io::JsonObject& settings, const text::Tokenizer& tokenizer);

/// The tokens of times that generation_config.json describes.
/// end     the token that ends a text
/// errors  UsageError for a model without times
TimeTokens time_tokens(const io::JsonObject& settings, int32_t end);

/// The id of the token <|nospeech|>, before no_timestamps_token_id.
/// errors  UsageError for a model without times
int32_t no_speech_token(const io::JsonObject& settings);

}  // namespace portatune::generate
