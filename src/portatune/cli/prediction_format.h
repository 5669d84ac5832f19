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
  /// What is written for a row.
  /// prediction  an object; ignored for a skipped row
  /// errors      UsageError for a kept column whose name a part of the prediction has, too
  virtual std::string text_of(const NumberedRow& row, const nlohmann::ordered_json& prediction) = 0;
  /// What is written at the end.
  virtual std::string finish() { return {}; }
};

/// Whether the name of a file asks for a table: .csv or .tsv.
bool is_table(const std::filesystem::path& output);

/// JSON Lines: {"row": 0, kept columns, prediction}; {"row": 1, kept columns, "skipped": reason}.
/// A table: columns "row", kept columns, those of the predictions, and "skipped" where rows may be. {"scores": {"a":
/// 1}} becomes the column score_a; logits are left out; lists become JSON. In .tsv, tabs and line breaks become spaces.
/// keep  names of the kept columns
std::unique_ptr<PredictionFormat> prediction_format(const std::filesystem::path& output, std::vector<std::string> keep,
                                                    bool may_skip);

}  // namespace portatune::cli
