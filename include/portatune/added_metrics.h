// Metrics beside those of tasks.
#pragma once

#include <memory>

#include "portatune/tasks.h"

namespace portatune {

/// Adds metrics to every evaluation of the program, below those of the task: a constant in a source file that is linked
/// into the program. `fit` and `evaluate` of a command that portatune_command() builds show them.
///     const AddedMetrics kMine([](const Task& task) -> std::unique_ptr<Metrics> { ... });
/// Metrics::update() gets the columns of a batch ("labels", data::kExampleWeight) and the outputs of the task's Forward
/// ("logits").
class AddedMetrics {
 public:
  /// Returns null for a task that the metrics do not suit.
  using Make = std::unique_ptr<Metrics> (*)(const Task& task);
  explicit AddedMetrics(Make make);
};

}  // namespace portatune
