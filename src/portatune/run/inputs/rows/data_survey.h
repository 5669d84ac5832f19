// Counts over the rows of a run, made in one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "portatune/data.h"
#include "portatune/run/inputs/rows/validation.h"

namespace portatune::run {

struct DataSurvey {
  int64_t rows = 0;                                      ///< Number of rows that were read.
  int64_t examples = 0;                                  ///< Number of examples that the task makes of them.
  std::vector<std::pair<std::string, int64_t>> classes;  ///< Number of labels of each class, in the order of the ids.
  std::optional<std::pair<double, double>> numbers;      ///< Lowest and highest label of a regression.
  std::optional<std::pair<double, double>> weights;      ///< Lowest and highest weight, if rows have weights.
  data::LengthCounts lengths;                            ///< Examples by their number of tokens.
  std::optional<int64_t> cut_texts;                      ///< See RowTask::cut_texts().
  int64_t empty_rows = 0;                                ///< Number of rows without text.
  std::vector<std::pair<std::string, int64_t>> files;    ///< Number of rows of each file; empty if there are many.
};

/// Reads all rows once. Texts are encoded, so that a row which the task cannot use is found; images are not decoded.
/// errors  DataError that names the row, Stopped after a stop request
DataSurvey survey(const ModelOptions& model, const RowTask& task, const data::Dataset& rows);

/// Reads each validation set once, so that a row which the task cannot use ends the run before it starts. Remote files
/// are not read.
std::vector<std::optional<DataSurvey>> survey_validation(const RunOptions& a, const RowTask& task,
                                                         const std::vector<ValidationSet>& sets);

}  // namespace portatune::run
