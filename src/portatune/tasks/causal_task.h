// The common part of causal language modelling tasks, for rows of any kind.
#pragma once

#include "portatune/tasks/text_task.h"

namespace portatune::tasks {

/// Base class of these tasks. Batches have "labels" beside the text's columns: the ids, or -100 where there is no loss.
class CausalTask : public TextTask {
 public:
  std::vector<std::string> text_columns() const override { return {}; }  // Blank rows separate documents.
  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  void save(const std::filesystem::path& folder) const override;

 protected:
  /// label_smoothing  of the training loss
  CausalTask(const ModelSource& model, int64_t max_length, double label_smoothing);

 private:
  const double label_smoothing_;
};

}  // namespace portatune::tasks
