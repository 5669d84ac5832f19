// Predictions as lines of JSON or as a table.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "portatune/cli/numbered_rows.h"

namespace portatune::cli {

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

}  // namespace portatune::cli
