// The file of predictions: its format, and its rows on the way there.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "portatune/cli/options/commands.h"
#include "portatune/cli/terminal/numbered_rows.h"
#include "portatune/cli/terminal/result_file.h"
#include "portatune/tasks.h"

namespace portatune::cli {

/// Predictions as lines of JSON or as a table.
class PredictionFormat {
 public:
  virtual ~PredictionFormat() = default;
  /// The text for a row.
  /// prediction  an object; ignored for a skipped row
  /// errors      UsageError for a kept column with the name of a part of the prediction
  virtual std::string text_of(const NumberedRow& row, const nlohmann::ordered_json& prediction) = 0;
  /// The text at the end of the file.
  virtual std::string finish() { return {}; }
};

/// Whether the extension of a file is that of a table: .csv or .tsv.
bool is_table(const std::filesystem::path& output);

/// JSON Lines: {"row": 0, kept columns, prediction}; {"row": 1, kept columns, "skipped": reason}.
/// A table: columns "row", kept columns, those of the predictions, and "skipped" where rows may be. {"scores": {"a":
/// 1}} becomes the column score_a; logits are left out; lists become JSON. In .tsv, tabs and line breaks become spaces.
/// keep  names of the kept columns
std::unique_ptr<PredictionFormat> prediction_format(const std::filesystem::path& output, std::vector<std::string> keep,
                                                    bool may_skip);

/// A line for each row, predicted or skipped, in the order of the rows: see prediction_format(). NAME.json is one
/// document, if the task has such a form. Tasks whose examples are not rows have their own lines.
/// file    the caller puts it in place
/// rows    as the task reads them; they must outlive the sink, and so must the task and the file
/// errors  UsageError for a table, or --keep-columns, where lines are not of rows; those of ResultFile
std::unique_ptr<run::PredictionSink> prediction_file(ResultFile& file, const PredictArguments& arguments,
                                                     const RowTask& task, const data::Dataset& rows);

}  // namespace portatune::cli
