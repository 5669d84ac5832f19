// Image classification: one label for an image.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/sources.h"
#include "portatune/tasks.h"
#include "portatune/tasks/image_task.h"
#include "portatune/tasks/losses.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

struct ImageClassificationOptions {
  std::string image_column = "image";  ///< column of file paths, or of the files' bytes
  std::string label_column = "label";
  /// Names of the classes in the order of their ids, as labels_of() finds them; default: the checkpoint's. If the
  /// checkpoint has the same classes, its order is kept, so that its classifier keeps its meaning.
  std::vector<std::string> labels;
  /// Names of the metrics in the order of reports (docs/results/metrics.md); {"all"}: every one; empty: the usual ones.
  std::vector<std::string> metrics = {};
  LossOptions loss = {};
  ImageInputOptions input = {};
};

/// The options of the task "image-classification" in runs, which finds labels and weights in the rows.
struct ImageClassificationRunOptions : ImageClassificationOptions {
  ClassWeights weights;

  void describe(OptionFields& fields);
};
const TaskSpec& image_classification_spec();

/// Rows with two texts: the path of an image, and its label. `files` is one folder, or tables with paths relative to
/// the folder of the table. In place of a path a row may have the bytes of a JPEG, PNG or WebP file.
/// label_column  empty: labels are not read
/// table         how tables are read; `columns` is ignored
/// errors        those of data::read_image_folder and data::read_table
data::Dataset read_images(const std::vector<std::string>& files, const std::string& image_column,
                          const std::string& label_column, data::TableOptions table = {});

/// The task of one label per image, with a Hugging Face folder of an image model and its preprocessor_config.json. If
/// the checkpoint also has a distillation head, the logits are the mean of both heads', in training as well.
class ImageClassification final : public ImageTask {
 public:
  /// errors  CheckpointError, NotFoundError for a faulty folder or an image processor whose images do not have the
  ///         model's size; UsageError for options that do not fit it
  ImageClassification(const ModelSource& model, ImageClassificationOptions options);
  ~ImageClassification() override;

  const std::vector<std::string>& labels() const;

  /// The arrays of a row: float32 [channels, height, width] pixel_values, int32 labels; and the text image, the path
  /// from the row, or the origin of the row if it has the image itself.
  /// errors  DataError, NotFoundError, IoError, which name row and file, for an image that cannot be read; DataError
  ///         for a label outside the set
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  struct Prediction {
    std::string image, label;
    std::vector<float> probabilities;  ///< probability of each of labels()
    std::vector<float> logits;
  };
  /// The predictions for the rows of a batch, without the rows that only fill it up.
  std::vector<Prediction> predictions(const data::Example& batch, const data::Example& outputs) const;

  std::vector<std::string> columns(Labels labels) const override;
  RowLabels row_labels() const override;
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  /// {"image": path, "label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}
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

  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
