// Pretraining on recordings without labels: wav2vec 2.0 distinguishes masked frames from others of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "portatune/tasks.h"
#include "portatune/tasks/audio_task.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

/// The names are those of transformers' run_wav2vec2_pretraining_no_trainer.py.
struct SpeechPretrainingOptions {
  std::string audio_column = "audio";  ///< column of file paths, or of the files' bytes
  AudioInputOptions input = {};        ///< the beginning of longer recordings is used, also in training
  double min_duration_seconds = 0;     ///< recordings of this duration or shorter are left out of training and scores
  std::optional<double> mask_time_prob;     ///< share of the frames in masked spans; none: that of config.json
  std::optional<int64_t> mask_time_length;  ///< frames of a span; none: that of config.json
  /// The temperature with which training draws codevectors: the first, and a factor for each update down to the lowest.
  double max_gumbel_temperature = 2, gumbel_temperature_decay = 0.999995, min_gumbel_temperature = 0.5;

  void describe(OptionFields& fields);
};
const TaskSpec& speech_pretraining_spec();

/// The task with a Hugging Face folder of wav2vec 2.0 and its preprocessor_config.json. Batches for training and
/// evaluation also have int32 "mask_time" [batch, frames] and "negatives" [batch, frames, negatives]. Evaluation masks
/// the same frames of a recording each time, chosen by the name of its file.
/// bad_rows  the bad rows that read() may skip; null: bad rows are errors
/// errors    CheckpointError, NotFoundError for a faulty folder and for a model that cannot be pretrained; UsageError
///           for options that do not fit it
std::unique_ptr<RowTask> speech_pretraining(const ModelSource& model, SpeechPretrainingOptions options,
                                            std::shared_ptr<data::BadRows> bad_rows = {});

}  // namespace portatune
