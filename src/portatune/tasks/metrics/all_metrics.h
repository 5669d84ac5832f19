// The metrics of a task together with those that AddedMetrics has added.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune::tasks {

/// The metrics of the task, followed by the added metrics that suit it. Their names differ from the task's.
std::unique_ptr<Metrics> all_metrics(const Task& task);

/// Whether metrics are added that suit the task. They may read outputs that the task itself does not need.
bool has_added_metrics(const Task& task);

/// Metrics that know the names of all their scores before they have seen an example.
class WithScoreNames {
 public:
  virtual ~WithScoreNames() = default;
  virtual std::vector<std::string> score_names() const = 0;
};

/// The names of scores that an evaluation of the task may have or leave undefined, as far as its metrics know them.
std::vector<std::string> known_scores(const Task& task);

/// Whether an evaluation of the task has no other scores than the known ones.
bool knows_all_scores(const Task& task);

}  // namespace portatune::tasks
