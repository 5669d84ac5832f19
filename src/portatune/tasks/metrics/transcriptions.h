// Transcriptions by CTC: their text from the most probable characters of frames, their error rates and prediction
// lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/tasks/metrics/texts/word_error_rate.h"
#include "portatune/tasks/rows/ctc_tokenizer.h"

namespace portatune::tasks {

/// Output of the forward pass, int32 [batch, frames]: the most probable id of each frame.
inline constexpr std::string_view kFrameIds = "frame_ids";
/// Column of a batch, int32 [batch]: number of frames of each row in kFrameIds, without padding.
inline constexpr std::string_view kHeadFrames = "head_frames";
/// Column of a batch: the text that a row's labels spell.
inline constexpr std::string_view kSpelledText = "spelled_text";

/// A line {"audio": name of the file, "text": the transcription} for each row of a batch, without the rows that only
/// fill it up.
std::string transcription_lines(const data::Example& batch, const std::vector<std::string>& texts);

/// The texts of the rows of a batch, of their frames without padding.
std::vector<std::string> transcriptions(const data::Example& batch, const data::Example& outputs,
                                        const CtcTokenizer& tokenizer);

/// "wer" and "cer": see texts/word_error_rate.h.
class TranscriptionMetrics final : public Metrics {
 public:
  /// names   of the scores to report, in this order; {"all"}: all of them
  /// errors  UsageError for an unknown name
  TranscriptionMetrics(const CtcTokenizer& tokenizer, std::vector<std::string> names);

  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  const CtcTokenizer& tokenizer_;
  const std::vector<std::string> names_;
  WordErrorRate words_;
  CharacterErrorRate characters_;
  bool has_rows_ = false;
};

/// The transcription_lines() of a CTC model.
class TranscriptionLines final : public PredictionLines {
 public:
  explicit TranscriptionLines(const CtcTokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::string take(const data::Example& batch, const data::Example& outputs) override;

 private:
  const CtcTokenizer& tokenizer_;
};

}  // namespace portatune::tasks
