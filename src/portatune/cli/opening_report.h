// The report of fit() before it trains: the program, the device, the model, the data, the run, and what is suspicious.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/cli/data_survey.h"
#include "portatune/train.h"

namespace portatune::cli {

struct FitArguments;
struct ValidationSet;

/// All that the report is made from.
struct Opening {
  const FitArguments& arguments;
  const RowTask& task;
  const Device& device;
  const Trainer& trainer;    ///< Its weights are loaded.
  const FitOptions& length;  ///< Epochs and steps.
  const DataSurvey& train;
  const std::vector<std::optional<DataSurvey>>& validation;  ///< Of each set, unless it was not read yet.
};

/// Reads each validation set once, so that a row which the task cannot use ends the run before it starts. Remote files
/// are not read.
std::vector<std::optional<DataSurvey>> survey_validation(const FitArguments& a, const RowTask& task,
                                                         const std::vector<ValidationSet>& sets);

/// Lines of at most 80 columns.
std::vector<std::string> opening_report(const Opening& opening);
/// Writes them to stderr, unless quiet.
void say_opening(const Opening& opening);

/// The text in lines of at most 80 columns, cut at blanks. The first begins with `label`, the others are indented.
std::vector<std::string> labelled(const std::string& label, const std::string& text);

}  // namespace portatune::cli
