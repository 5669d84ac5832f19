// The common part of the classification of images and of recordings: one class for each file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "portatune/json_object.h"
#include "portatune/tasks.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/task_spec.h"

namespace portatune::tasks {

/// Rows of one folder, or of tables with a column of files and, unless `label_column` is empty, one of labels.
/// noun         for errors: "images"
/// read_folder  reads the folder
/// errors       those of read_folder and of data::read_table; UsageError for several folders
data::Dataset read_labelled_files(const std::vector<std::string>& files, const std::string& file_column,
                                  const std::string& label_column, data::TableOptions table, const char* noun,
                                  const std::function<data::Dataset(const std::string& folder)>& read_folder);

/// Finds the classes in the rows, unless they are given, and the weights of the loss.
/// errors  DataError for rows of one class; those of classes_of_rows() and with_class_weights()
void learn_classes(const TaskContext& context, const data::Dataset& rows, const std::string& label_column,
                   const ClassWeights& weights, std::vector<std::string>& labels, LossOptions& loss);

class FileClasses {
 public:
  /// Name of an output of models that also compute a vector of each file, float32 [batch, size].
  static constexpr const char* kEmbeddings = "embeddings";

  struct Options {
    std::string file;  ///< column of names in batches, and key in predictions: "image"
    std::string file_column, label_column;
    std::vector<std::string> labels, metrics;
    LossOptions loss;
  };
  struct Prediction {
    std::string file, label;
    std::vector<float> probabilities, logits;
    std::span<const float> embedding;  ///< empty: the model has none
  };

  /// config  of the model
  /// errors  UsageError for options that do not fit each other or the model
  FileClasses(Options options, const io::JsonObject& config);

  const std::vector<std::string>& labels() const { return options_.labels; }
  std::vector<std::string> columns(RowTask::Labels labels) const;
  RowLabels row_labels() const;
  std::map<std::string, std::string> settings() const;

  /// The example of a row: its file's name, its label and its weight.
  data::Example example_of(const data::Example& row, std::string file_name, RowTask::Labels labels) const;
  Forward forward(const Value& logits, const Columns& batch, const nn::Scope& root) const;

  std::unique_ptr<Metrics> metrics() const;
  std::unique_ptr<ErrorAnalyzer> error_analyzer(int64_t max_mistakes) const;
  /// The predictions for the rows of a batch, without the rows that only fill it up. They refer to the outputs.
  std::vector<Prediction> predictions(const data::Example& batch, const data::Example& outputs) const;
  /// This object must outlive the lines.
  std::unique_ptr<PredictionLines> prediction_lines() const;

 private:
  Options options_;
};

}  // namespace portatune::tasks
