// The metrics of a task together with those that AddedMetrics has added.
#pragma once

#include <memory>

#include "portatune/tasks.h"

namespace portatune::tasks {

/// The metrics of the task, followed by the added metrics that suit it. Their names differ from the task's.
std::unique_ptr<Metrics> all_metrics(const Task& task);

}  // namespace portatune::tasks
