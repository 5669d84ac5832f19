// The rules by which a text of Whisper is kept, tried again at a higher temperature, or taken for silence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace portatune::generate {

/// Thresholds with the names and the meaning that they have in generate() of WhisperForConditionalGeneration.
struct SpeechThresholds {
  std::optional<double> compression_ratio;  ///< a text whose tokens compress better repeats itself
  std::optional<double> logprob;            ///< a text with a lower mean log-probability is improbable
  std::optional<double> no_speech;          ///< an improbable text with a higher probability of silence is none
};

/// A text, and what the model thinks of it.
struct SpeechAttempt {
  std::span<const int32_t> tokens;  ///< new tokens, with the one that ends the text
  double logprob;                   ///< mean log-probability of the tokens
  double no_speech;                 ///< probability of silence
};

enum class SpeechVerdict { kKept, kRefused, kSilent };

/// source  _need_fallback() of WhisperGenerationMixin, one recording at a time
SpeechVerdict verdict_of(const SpeechAttempt& attempt, const SpeechThresholds& thresholds, int64_t vocab_size);

/// The number of bytes of the tokens divided by their number after compression by zlib.
/// vocab_size  decides about the bytes of a token
double compression_ratio(std::span<const int32_t> tokens, int64_t vocab_size);

}  // namespace portatune::generate
