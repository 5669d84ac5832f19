// Audio classification: one label for a recording.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "portatune/sources.h"
#include "portatune/tasks.h"
#include "portatune/tasks/audio_task.h"
#include "portatune/tasks/losses.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

struct AudioClassificationOptions {
  std::string audio_column = "audio";  ///< column of file paths, or of the files' bytes
  std::string label_column = "label";
  /// Names of the classes in the order of their ids, as labels_of() finds them; default: the checkpoint's. If the
  /// checkpoint has the same classes, its order is kept, so that its classifier keeps its meaning.
  std::vector<std::string> labels;
  /// Names of the metrics in the order of reports (docs/results/metrics.md); {"all"}: every one; empty: the usual ones.
  std::vector<std::string> metrics = {};
  LossOptions loss = {};
  AudioInputOptions input = {};
  /// Whether the classes are speakers, for the head of models::XVectorFacts; always of a checkpoint that
  /// has this head.
  bool xvector = false;
};

/// The options of the task "audio-classification" in runs, which finds labels and weights in the rows.
struct AudioClassificationRunOptions : AudioClassificationOptions {
  ClassWeights weights;

  void describe(OptionFields& fields);
};
const TaskSpec& audio_classification_spec();

/// Rows with two texts: the path of a recording, and its label. `files` is one folder, or tables with paths relative to
/// the folder of the table. In place of a path a row may have the bytes of an audio file.
/// label_column  empty: labels are not read
/// table         how tables are read; `columns` is ignored
/// errors        those of data::read_audio_folder and data::read_table
data::Dataset read_recordings(const std::vector<std::string>& files, const std::string& audio_column,
                              const std::string& label_column, data::TableOptions table = {});

/// The task of one label per recording, with a Hugging Face folder of an audio model and its preprocessor_config.json.
class AudioClassification final : public AudioTask {
 public:
  /// errors  CheckpointError, NotFoundError for a faulty folder or a feature extractor that does not fit the model;
  ///         UsageError for options that do not fit it
  AudioClassification(const ModelSource& model, AudioClassificationOptions options);
  ~AudioClassification() override;

  const std::vector<std::string>& labels() const;

  /// The arrays of a row: those of AudioTask, int32 labels; and the text audio, the path from the row, or the origin of
  /// the row if it has the recording itself.
  /// errors  DataError, NotFoundError, IoError, which name row and file, for a recording that cannot be read; DataError
  ///         for a label outside the set
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  std::vector<std::string> columns(Labels labels) const override;
  RowLabels row_labels() const override;
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  /// {"audio": path, "label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}, of the
  /// head for speakers also "embedding": [...]
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  std::map<std::string, std::string> settings() const override;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  std::unique_ptr<ErrorAnalyzer> error_analyzer(int64_t max_mistakes) const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  data::Example example_of(const data::Example& row, Labels labels) const override;
  int64_t frames_of(const data::Example& example, int64_t samples, const std::string& where) const override;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
