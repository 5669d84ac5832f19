// Tasks on text models that predict and learn nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "portatune/tasks/text_task.h"

namespace portatune::tasks {

/// Tokens of the longest texts: those of the options; else those that the folder suggests; else the positions of the
/// model, at most 512.
int64_t length_of_predictions(const ModelSource& model, std::optional<int64_t> given,
                              std::optional<int64_t> suggested = std::nullopt);

class PredictionTask : public TextTask {
 public:
  bool has_mean_predictions() const override { return false; }
  std::map<std::string, std::string> settings() const final { return {}; }
  /// errors  UsageError
  std::unique_ptr<Metrics> metrics() const final;
  /// errors  UsageError
  void save(const std::filesystem::path& folder) const final;

 protected:
  using TextTask::TextTask;

  /// A forward pass without a loss.
  static Forward predicted(const Columns& batch, std::vector<std::pair<std::string, Value>> outputs);
};

/// A task that makes several examples of each row: one for each mask, or for each label.
class SeveralExamplesTask : public PredictionTask {
 public:
  std::vector<std::string> columns(Labels) const final { return {text_column_}; }
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels) const final;
  data::Dataset examples(const data::Dataset& rows) const final;

 protected:
  /// max_length  tokens of the longest texts; none: those of length_of_predictions()
  SeveralExamplesTask(const ModelSource& model, std::optional<int64_t> max_length, std::string text_column);

  std::string text_of(const data::Example& row) const { return row.text(text_column_); }
  virtual std::vector<data::Example> encode(const data::Example& row) const = 0;

 private:
  const std::string text_column_;
};

}  // namespace portatune::tasks
