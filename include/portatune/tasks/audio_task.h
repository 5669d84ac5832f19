// The common part of tasks on audio: a model with its feature extractor, and the recordings of rows as arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "portatune/audio.h"
#include "portatune/audio_models.h"
#include "portatune/tasks/file_task.h"

namespace portatune {

class OptionFields;

/// How recordings of rows become the input of a model.
struct AudioInputOptions {
  /// Training takes a random part of this length of longer recordings. The waveforms of a batch have this length, with
  /// zeros behind shorter ones; evaluation takes the beginning of longer ones. Spectrograms have the length of the
  /// model.
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
class AudioTask : public FileTask {
 public:
  ~AudioTask() override;

  double initializer_range() const override;
  /// Number of real samples, and the masks of SpecAugment: see models::AudioInputs.
  std::vector<std::string> optional_inputs() const override;

 protected:
  /// column  the column of paths or of the files' bytes
  /// values  replace those of config.json: see FileTask
  /// errors  CheckpointError, NotFoundError for a faulty folder or a feature extractor that does not fit the model;
  ///         UsageError for a max_length_seconds without a frame
  AudioTask(const std::filesystem::path& model, std::string column, AudioInputOptions options,
            const ConfigValues& values = {});

  const models::AudioModel& model() const;
  const audio::Extractor& extractor() const;
  /// How files are decoded for the extractor.
  audio::DecodeOptions decoding() const;
  /// The samples of a file, at least those of one frame.
  std::vector<float> decoded(std::span<const std::byte> file, const std::string& where) const;
  /// Whether batches have the number of real samples, so that the model does not see padding.
  bool hides_padding() const;
  /// Adds the masks of SpecAugment that the model has.
  /// frames  of the example with its padding; `real` of them may be masked
  /// key     of the random choices
  void add_masks(data::Example& example, int64_t frames, int64_t real, uint64_t key) const;
  models::AudioInputs inputs_of(const Columns& batch) const;
  /// The options and the column as values of settings().
  std::map<std::string, std::string> audio_settings() const;

 private:
  struct Impl;
  /// "input_values", float32 [samples] or [frames, mel bins]; int32 "samples" []; in training with SpecAugment int32
  /// "mask_time" [frames] and "mask_feature" [hidden_size].
  data::BatchType arrays(bool is_training) const override;
  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override;
  const std::string& base_prefix() const override;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
