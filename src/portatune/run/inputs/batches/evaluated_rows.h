// Rows to evaluate or predict with a model that may have been trained on rows of other lengths.
#pragma once

#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/tasks.h"
#include "portatune/train.h"

namespace portatune::run {

/// errors  UsageError for an evaluation without rows
void require_rows(const std::vector<std::string>& words);
/// errors  UsageError for a prediction without rows
void require_rows_to_predict(const std::vector<std::string>& files, const std::vector<std::string>& texts);

/// The validation sets of these words, after the task has the lengths that their rows need.
/// words       see named_files()
/// batch_size  rows of a batch over all devices
/// max_rows    number of the first rows of each set that are read; 0: all
std::vector<ValidationSet> evaluation_sets(const ModelOptions& model, const std::vector<std::string>& words,
                                           RowTask& task, int64_t batch_size, Events& events, int64_t max_rows = 0);

/// The rows of texts, or of files if there are no texts, as the task reads them.
/// errors  UsageError for texts of a task that reads other columns
data::Dataset rows_to_predict(const ModelOptions& model, const std::vector<std::string>& files,
                              const std::vector<std::string>& texts, const RowTask& task);

/// Gives the task the lengths that these rows need.
void set_lengths_for(const data::Dataset& rows, const ModelOptions& model, RowTask& task, int64_t batch_size,
                     Events& events);

/// Predicts rows after set_lengths_for(). A stop request ends it with Stopped.
Prediction predict_rows(Trainer& trainer, const ModelOptions& model, const RowTask& task, const data::Dataset& rows,
                        int64_t batch_size, PredictionSink& sink, Events& events);

}  // namespace portatune::run
