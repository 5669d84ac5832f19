// evaluations.jsonl: the errors of each evaluation, a JSON object for each validation set.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/run/records/metrics_log.h"
#include "portatune/tasks.h"
#include "portatune/train.h"

namespace portatune::run {

class EvaluationLog {
 public:
  /// Replaces the file by these lines of the run that it continues.
  /// task          with an error analyzer; must outlive this object
  /// max_mistakes  number of mistakes of a line
  /// errors        IoError, NotFoundError if the folder is missing
  EvaluationLog(const std::filesystem::path& file, std::vector<Json> lines, const RowTask& task, int64_t max_mistakes)
      : log_(file, std::move(lines)), task_(task), max_mistakes_(max_mistakes) {}

  /// Observes the batches of these sets. This object must outlive their evaluations.
  void observe(std::vector<EvaluationSet>& sets);
  /// Adds the lines of the evaluation after a step, unless the log has them: a resumed run may repeat that of the
  /// checkpoint's step.
  /// errors  IoError
  void add(int64_t step);

 private:
  struct Set {
    std::string name;
    std::unique_ptr<ErrorAnalyzer> analyzer;  // of the evaluation that is under way
  };

  MetricsLog log_;
  const RowTask& task_;
  const int64_t max_mistakes_;
  std::vector<Set> sets_;
};

}  // namespace portatune::run
