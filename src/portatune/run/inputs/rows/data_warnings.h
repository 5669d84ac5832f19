// Warnings of probable mistakes in the training data.
#pragma once

#include <string>
#include <vector>

#include "portatune/run/inputs/rows/data_survey.h"

namespace portatune::run {

/// Classes that differ only by case or blanks, or are the same number; classes that denote a missing value; as many
/// classes as rows; rows without text; weights of 0 only.
std::vector<std::string> warnings_of_rows(const DataSurvey& data);

/// Validation files that are training files, by name or by content. Remote files are compared by name alone.
std::vector<std::string> warnings_of_files(const RunOptions& a);

}  // namespace portatune::run
