// Validation rows: one set, or several with names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/tasks.h"
#include "portatune/train.h"

namespace portatune::run {

/// The activity of Events::progress() while a model is evaluated.
inline constexpr const char* kEvaluating = "evaluating";

struct NamedFiles {
  std::string name;  ///< empty for the only set
  std::vector<std::string> files;
};
/// Groups words FILE or NAME=FILE by name, in the order of their first files.
std::vector<NamedFiles> named_files(const std::vector<std::string>& words);

struct ValidationSet {
  std::string name;
  data::Dataset rows, batches;
};
/// words     see named_files()
/// max_rows  number of the first rows of each set that are read; 0: all
/// errors    those of RowTask::read
std::vector<ValidationSet> validation_sets(const ModelOptions& model, const std::vector<std::string>& words,
                                           const RowTask& task, int64_t batch_size, int64_t max_rows = 0);

/// The scores of all sets. A stop request ends the evaluation with Stopped.
Scores evaluate_all(Trainer& trainer, std::span<const ValidationSet> sets, RowProgress& progress);

}  // namespace portatune::run
