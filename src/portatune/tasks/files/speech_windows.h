// Recordings that a speech model hears window by window, at rising temperatures, and their texts with times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "portatune/generate/speech/history.h"
#include "portatune/generate/speech/segments.h"
#include "portatune/generate/speech/thresholds.h"
#include "portatune/tasks.h"
#include "portatune/text.h"

namespace portatune::tasks {

/// Column of a batch and output, int32 [batch]: the frames of a recording, at least those of a window.
inline constexpr const char* kSpeechFrames = "speech_frames";
/// Column of a batch, int32 [batch]: the id of a language that is known from an earlier window, else -1.
inline constexpr const char* kSpeechLanguages = "speech_languages";
/// Column of a batch, int32 [batch, HistoryRules::size()]: the tokens before the text of a window, with -1 before them;
/// only with TimedSpeech::history.
inline constexpr const char* kPreviousSpeech = "previous_speech";
/// Column of a batch, float32 [batch]: the temperature of a text.
inline constexpr const char* kSpeechTemperatures = "speech_temperatures";
/// Column of a batch, int32 [batch]: RowTemperatures::draws.
inline constexpr const char* kSpeechDraws = "speech_draws";
/// Output, float32 [batch]: the sum of the log-probabilities of the new tokens.
inline constexpr const char* kSpeechLogprobs = "speech_logprobs";
/// Output, float32 [batch]: the probability of silence; absent without a threshold for it.
inline constexpr const char* kNoSpeech = "no_speech";
/// Output, int32 [batch, windows]: the first frame of each window, -1 behind the last one. kGeneratedTokens has the
/// tokens of all windows, one after the other.
inline constexpr const char* kWindowBegins = "window_begins";

/// How a model writes texts with times.
struct TimedSpeech {
  generate::TimeScale scale;
  std::vector<int32_t> ends;  ///< tokens that end a text
  int64_t prompt;             ///< number of tokens before a text
  int64_t window;             ///< frames that the model hears at a time
  /// Rules for the texts before those of later windows; none: no texts come before them.
  std::optional<generate::HistoryRules> history = {};
};

/// How often a model writes a text.
struct SpeechAttempts {
  std::vector<double> temperatures = {0};  ///< each one is tried if the text of the one before is refused
  generate::SpeechThresholds thresholds = {};
  int64_t vocab_size = 0;
  int32_t pad_id = 0;  ///< fills the tokens of recordings without a text

  bool samples() const;
  /// Returns whether any text may be sampled or refused.
  bool are_scored() const;
};

/// Refuses temperatures and thresholds that transformers would ignore or fail on.
/// errors  UsageError
void require_useful(const SpeechAttempts& attempts);

/// Adds the columns to an example that its recording needs if it has several windows, as if it had one.
/// window  frames that the model hears at a time
void set_window_columns(data::Example& example, int64_t window, bool detects_language);

/// Adds the column of the tokens before the first window.
void set_previous_column(data::Example& example, const generate::HistoryRules& history);

/// Adds the columns of the first attempt. kSpeechDraws, which follows from the sound, is 0 at first.
void set_attempt_columns(data::Example& example, const SpeechAttempts& attempts);
/// The number of an attempt, from 0, to write the text of a window. It depends on the sound alone.
/// features  float32 [mel bins, frames]
int32_t draw_of_speech(std::span<const float> features, size_t attempt);

/// Adds a recording of several windows to such an example.
/// name         of the column of features, which gets those of the first window
/// spectrogram  of the whole recording, float32 [mel bins, frames]
void set_long_recording(data::Example& example, const char* name, const Tensor& spectrogram, int64_t window);

/// The outputs of all windows of the recordings of a batch, as generate() of WhisperForConditionalGeneration hears them
/// one after the other, one recording at a time. Recordings of one window are heard once, and again at each further
/// temperature. A silent window has no text.
/// outputs  of the first windows at the first temperature; without kWindowBegins texts have no times
/// name     of the column of features
data::Example heard_windows(const data::Example& batch, const data::Example& outputs, const Task::RunBatch& run,
                            const char* name, const TimedSpeech& speech, const SpeechAttempts& attempts);

/// Lines {"audio": ..., "text": ..., "segments": [{"start": ..., "end": ..., "text": ...}, ...]}.
std::string timed_lines(const data::Example& batch, const data::Example& outputs, const text::Tokenizer& tokenizer,
                        const TimedSpeech& speech);

}  // namespace portatune::tasks
