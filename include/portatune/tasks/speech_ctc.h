// Transcription of speech by connectionist temporal classification (CTC): the characters that a recording says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/tasks/audio_task.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

/// The names are those of transformers' run_speech_recognition_ctc.py.
struct SpeechCtcOptions {
  std::string audio_column = "audio";  ///< column of file paths, or of the files' bytes
  std::string text_column = "text";    ///< column of transcriptions
  std::string chars_to_ignore;         ///< characters that are removed from transcriptions
  double min_duration_seconds = 0;     ///< labelled rows with recordings of this duration or shorter are left out
  /// Labelled rows with recordings of max_length_seconds or more are left out; predictions refuse longer recordings.
  AudioInputOptions input = {};
  std::optional<std::string> ctc_loss_reduction;  ///< "sum" or "mean"; none: that of config.json
  bool new_vocabulary = false;  ///< makes a vocabulary from the transcriptions even if the model folder has one
  /// The language of a model with adapters of languages (MMS): its vocabulary in vocab.json, and its weights in
  /// adapter.LANGUAGE.safetensors. Both are new if vocab.json lacks it. Empty: that of the model folder.
  std::string target_lang;
  std::vector<std::string> metrics = {"wer", "cer"};
  /// The characters of a new vocabulary. Empty: the model folder has one. A run finds them in its rows.
  std::string characters;

  void describe(OptionFields& fields);
};
const TaskSpec& speech_ctc_spec();

/// The task of transcribing speech with the CTC head of an audio model and its preprocessor_config.json. With labels,
/// batches also have int32 "labels" [batch, labels], which are -100 in padding. Metrics: word and character error rate.
class SpeechCtc final : public AudioTask {
 public:
  /// bad_rows  the bad rows that read() may skip; null: bad rows are errors
  /// errors    CheckpointError, NotFoundError for a faulty folder, for one without vocab.json and for a vocabulary that
  ///           does not fit the model; UsageError for options that do not fit it
  SpeechCtc(const ModelSource& model, SpeechCtcOptions options, std::shared_ptr<data::BadRows> bad_rows = {});
  ~SpeechCtc() override;

  /// The arrays of a row.
  /// errors  DataError, NotFoundError, IoError, which name row and file, for a recording that cannot be read or is
  ///         longer than max_duration_seconds, for a blank transcription, and for one with more labels than frames
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;
  /// Returns whether the recording of a row has a duration within the limits.
  /// errors  those of encode() for a recording that cannot be read
  bool has_duration(const data::Example& row) const;
  /// has_duration() of all rows, without those that may be skipped. A recording that cannot be read counts as one
  /// within the limits, so that encode() reports it.
  std::vector<bool> have_duration(const data::Dataset& rows) const;

  std::vector<std::string> columns(Labels labels) const override;
  /// Looks at the headers of the recordings of labelled rows, in order to select rows by their duration.
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  int64_t max_target_length() const override { return max_length(); }
  /// {"audio": path, "text": the transcription}
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  bool has_mean_predictions() const override { return false; }
  std::string score_of_best_model() const override;
  std::map<std::string, std::string> settings() const override;

  std::vector<std::string> inputs() const override;
  std::vector<std::string> optional_inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  explicit SpeechCtc(std::unique_ptr<Impl> impl);
  DurationRange durations() const;
  data::Example example_of(const data::Example& row, Labels labels) const override;
  int64_t frames_of(const data::Example& example, int64_t samples, const std::string& where) const override;
  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override;

  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
