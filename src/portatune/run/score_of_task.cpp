#include "portatune/run/score_of_task.h"

#include "portatune/run/inputs/rows/validation.h"
#include "portatune/train/evaluation/evaluation.h"

namespace portatune::run {

std::string score_of_task(const RunOptions& a, const RowTask& task) {
  const std::string score = task.score_of_best_model();
  if (score.empty()) return {};
  const std::string first_set = a.validation.empty() ? "" : named_files(a.validation).front().name;
  return train::with_name(first_set, {{score, 0}}).front().first;
}

}  // namespace portatune::run
