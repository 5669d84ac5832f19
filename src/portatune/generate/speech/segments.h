// The parts of a text of Whisper with their times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace portatune::generate {

/// A part of a text.
struct SpeechSegment {
  double start, end;            ///< seconds
  std::vector<int32_t> tokens;  ///< without those of times
};

/// How tokens of times count seconds.
struct TimeScale {
  int32_t first;  ///< TimeTokens::first
  double step;    ///< seconds from a time to the next one, which are models::SpeechFacts::kFramesOfTime frames
};

/// The frames of a spectrogram that the model hears at a time.
struct SpeechWindow {
  int64_t begin, frames;
};

/// The parts between two times that follow each other, as generate() of WhisperForConditionalGeneration finds them
/// (return_segments). What follows the last end of a part without an end of its own is left out. A text without such
/// ends is one part from the begin of the window to its last time, or to the end of the window.
/// tokens  the new tokens, without the token that ends the text
std::vector<SpeechSegment> speech_segments(std::span<const int32_t> tokens, const TimeScale& scale,
                                           const SpeechWindow& window);

/// The first frame of the next window, as generate() chooses it: the end of the last part, if the text continues after
/// it, so that the model hears the rest again; else the end of the window. It is behind the begin of this window.
int64_t next_window(std::span<const int32_t> tokens, const TimeScale& scale, const SpeechWindow& window);

/// The tokens of the parts with their times, as generate() puts them before the text of the next window: of two times
/// at the end of a part, the first one.
std::vector<int32_t> tokens_of_segments(std::span<const int32_t> tokens, const TimeScale& scale);

}  // namespace portatune::generate
