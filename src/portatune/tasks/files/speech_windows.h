// Recordings that a speech model hears window by window, and their texts with times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/generate/speech/segments.h"
#include "portatune/tasks.h"
#include "portatune/text.h"

namespace portatune::tasks {

/// Column of a batch and output, int32 [batch]: the frames of a recording, at least those of a window.
inline constexpr const char* kSpeechFrames = "speech_frames";
/// Column of a batch, int32 [batch]: the id of a language that is known from an earlier window, else -1.
inline constexpr const char* kSpeechLanguages = "speech_languages";
/// Output, int32 [batch, windows]: the first frame of each window, -1 behind the last one. kGeneratedTokens has the
/// tokens of all windows, one after the other.
inline constexpr const char* kWindowBegins = "window_begins";

/// How a model writes texts with times.
struct TimedSpeech {
  generate::TimeScale scale;
  std::vector<int32_t> ends;  ///< tokens that end a text
  int64_t prompt;             ///< number of tokens before a text
  int64_t window;             ///< frames that the model hears at a time
};

/// Adds the columns to an example that its recording needs if it has several windows, as if it had one.
/// window  frames that the model hears at a time
void set_window_columns(data::Example& example, int64_t window, bool detects_language);

/// Adds a recording of several windows to such an example.
/// name         of the column of features, which gets those of the first window
/// spectrogram  of the whole recording, float32 [mel bins, frames]
void set_long_recording(data::Example& example, const char* name, const Tensor& spectrogram, int64_t window);

/// The outputs of all windows of the recordings of a batch, as generate() of WhisperForConditionalGeneration hears them
/// one after the other. Recordings of one window are heard once.
/// outputs  of the first windows
/// name     of the column of features
data::Example heard_windows(const data::Example& batch, const data::Example& outputs, const Task::RunBatch& run,
                            const char* name, const TimedSpeech& speech);

/// Lines {"audio": ..., "text": ..., "segments": [{"start": ..., "end": ..., "text": ...}, ...]}.
std::string timed_lines(const data::Example& batch, const data::Example& outputs, const text::Tokenizer& tokenizer,
                        const TimedSpeech& speech);

}  // namespace portatune::tasks
