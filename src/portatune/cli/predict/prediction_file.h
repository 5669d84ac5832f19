// The file of `portatune predict`.
#pragma once

#include <memory>

#include "portatune/cli/options/commands.h"
#include "portatune/tasks.h"

namespace portatune::cli {

/// See run::prediction_file(). The file replaces an earlier one when it is complete; "-" is stdout.
/// errors  those of run::prediction_file() and of ResultFile
std::unique_ptr<run::PredictionSink> prediction_file(const PredictArguments& arguments, const RowTask& task,
                                                     const data::Dataset& rows);

}  // namespace portatune::cli
