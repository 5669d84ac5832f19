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
  int32_t first;    ///< TimeTokens::first
  double step;      ///< seconds from a time to the next one
  double duration;  ///< seconds that the model hears
};

/// The parts between two times that follow each other, as generate() of WhisperForConditionalGeneration finds them in
/// one call (return_segments, force_unique_generate_call). What follows the last end of a part without an end of its
/// own is left out. A text without such ends is one part from 0 seconds to its last time, or to the end of the
/// recording.
/// tokens  the new tokens, without the token that ends the text
std::vector<SpeechSegment> speech_segments(std::span<const int32_t> tokens, const TimeScale& scale);

}  // namespace portatune::generate
