// The file of predictions: its format, and its rows on the way there.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/predictions/numbered_rows.h"
#include "portatune/run/predictions/text_output.h"
#include "portatune/tasks.h"

namespace portatune::run {

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
/// output  name of the file, which decides about its form
/// model   its extra columns are kept, and its bad rows are skipped
/// rows    as the task reads them; they must outlive the sink, and so must the task and the file
/// open    opens the file, after the options are checked
/// errors  UsageError for a table, or --keep-columns, where lines are not of rows; those of `open`
std::unique_ptr<PredictionSink> prediction_file(const std::filesystem::path& output, const ModelOptions& model,
                                                const RowTask& task, const data::Dataset& rows, const OpenText& open);

}  // namespace portatune::run
