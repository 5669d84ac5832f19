// The log of a run: the numbers that training wrote to metrics.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "portatune/analysis/report/curve.h"

namespace portatune::report {

/// Name of the log in the output folder of a run.
inline constexpr const char* kLogFile = "metrics.jsonl";
/// Name of the file beside it with the facts about the data that the page shows.
inline constexpr const char* kDetailsFile = "report.json";

struct RunLog {
  std::map<std::string, Curve> training;    ///< Numbers of training steps by name: "loss", "learning_rate".
  std::map<std::string, Curve> evaluation;  ///< Numbers of validations by name: "eval_loss", "eval_dev_accuracy".
  std::vector<int64_t> resumptions;         ///< The steps from which the run was resumed.
};

/// Reads a log of a run that has ended or is under way. An incomplete last line is dropped, and so are lines of steps
/// that a resumption repeats.
/// errors  NotFoundError, IoError; DataError with file and line for a line that is not a JSON object of numbers with
///         "step"
RunLog read_log(const std::filesystem::path& file);

}  // namespace portatune::report
