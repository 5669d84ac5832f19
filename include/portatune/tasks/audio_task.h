// The common part of tasks on audio: a model with its feature extractor, and the recordings of rows as arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/media.h"
#include "portatune/media_models.h"
#include "portatune/tasks/file_task.h"

namespace portatune {

class OptionFields;

/// How recordings of rows become the input of a model.
struct AudioInputOptions {
  /// Training takes a random part of this length of longer recordings, evaluation the beginning. Spectrograms have the
  /// length of the model.
  double max_length_seconds = 20;
  double max_file_seconds = audio::DecodeOptions().max_seconds;
  /// Whether padding is hidden from models that hide it: see models::AudioInputs::samples.
  bool attention_mask = true;

  void describe(OptionFields& fields);
  /// Describes all options but max_length_seconds.
  void describe_files(OptionFields& fields);
};

/// The column of paths or of the files' bytes.
void describe_audio_column(OptionFields& fields, std::string& column);

/// A task on an audio model with a Hugging Face folder and its preprocessor_config.json. A row has one recording: the
/// path of a file, or the bytes of a WAV, AIFF, FLAC, Ogg or MP3 file.
///
/// Batches of waveforms have float32 "input_values" [batch, samples], with zeros behind shorter ones; int32 "frames"
/// [batch], the number of frames without padding; int32 "samples" [batch] if padding is hidden; in training with
/// SpecAugment int32 "mask_time" [batch, frames] and "mask_feature" [batch, hidden_size]. Their lengths are numbers of
/// frames. Batches of spectrograms have "input_values" [batch, frames, mel bins].
class AudioTask : public FileTask {
 public:
  static constexpr std::string_view kFrames = "frames";
  static constexpr const char* kMaskTime = "mask_time";

  ~AudioTask() override;

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override;
  bool varies_in_length() const override;
  /// Number of frames of max_length_seconds; 0 for spectrograms.
  int64_t max_length() const override;
  const char* length_unit() const override { return "frames"; }
  const char* pair_unit() const override { return "frames+labels"; }
  /// Of waveforms: their lengths by the headers of the files, which are decoded only where they do not have it.
  std::optional<data::Dataset> length_batches(const data::Dataset& rows, Labels labels) const override;
  void set_lengths(std::vector<int64_t> lengths) override;
  /// The lengths, ascending, of a task whose targets are lists of labels: frames and labels.
  void set_pairs(std::vector<data::LengthPair> pairs) override;
  data::LengthCounts length_counts(const data::Dataset& batches) const override;
  data::PairCounts pair_counts(const data::Dataset& batches) const override;
  double initializer_range() const override;
  /// Number of real samples, and the masks of SpecAugment: see models::AudioInputs.
  std::vector<std::string> optional_inputs() const override;

 protected:
  /// column  the column of paths or of the files' bytes
  /// errors  CheckpointError, NotFoundError for a faulty folder or a feature extractor that does not fit the model;
  ///         UsageError for a max_length_seconds without a frame
  AudioTask(const ModelSource& model, std::string column, AudioInputOptions options);

  const models::AudioModel& model() const;
  /// Number of samples of max_length_seconds.
  int64_t max_samples() const;
  /// How files are decoded for the extractor.
  audio::DecodeOptions decoding() const;
  /// The number of frames that an example has of a recording with this many samples.
  /// example  with its targets
  /// errors   DataError for a recording without a frame, and for one that the task refuses by its length
  virtual int64_t frames_of(const data::Example& example, int64_t samples, const std::string& where) const;
  /// Whether batches have the number of real samples, so that the model does not see padding.
  bool hides_padding() const;
  /// Adds the arrays of a waveform that are in batches, to an example with its targets. Those of SpecAugment are added
  /// to batches.
  /// key  of the random choices in training
  void add_waveform(data::Example& example, std::span<const float> samples, const std::string& where,
                    std::optional<uint64_t> key) const;
  models::AudioInputs inputs_of(const Columns& batch) const;
  /// Durations in seconds, both ends excluded.
  struct DurationRange {
    double above, below;
  };
  /// Returns whether the recording of a row has a duration in the range.
  /// errors  DataError, NotFoundError, IoError for a recording that cannot be read
  bool has_duration(const data::Example& row, const DurationRange& range) const;
  /// has_duration() of all rows, without those that may be skipped. A recording that cannot be read counts as one in
  /// the range, so that encoding it reports it.
  std::vector<bool> have_duration(const data::Dataset& rows, const DurationRange& range,
                                  const std::shared_ptr<data::BadRows>& bad_rows) const;
  /// The masks that batches get.
  virtual models::SpecAugment masks() const;
  /// Batches of waveforms with their masks. Their examples have had a key in add_waveform().
  data::Dataset masked(const data::Dataset& batches) const;
  /// Adds the masks of a row, drawn by the key.
  /// frames  of the batch
  /// real    frames that may be masked
  virtual void add_masks(data::Example& example, int64_t frames, int64_t real, uint64_t key) const;
  /// Adds the types of the masks to those of a batch.
  virtual void add_mask_types(data::BatchType& type) const;
  /// The options and the column as values of settings().
  std::map<std::string, std::string> audio_settings() const;

 private:
  struct Impl;
  bool has_targets() const { return max_target_length() > 0; }
  void use_pairs(std::vector<data::LengthPair> pairs);
  data::PairCounts counts_of(const data::Dataset& batches) const;
  int64_t samples_in(std::span<const std::byte> file, const std::string& where) const;
  data::Dataset padded_batches(const data::Dataset& examples, int64_t size, Labels labels) const;
  data::Example with_masks(data::Example batch) const;
  /// Of spectrograms.
  data::BatchType arrays(bool is_training) const override;
  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override;
  const std::string& base_prefix() const override;

  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
