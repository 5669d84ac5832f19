// Reduction of the learning rate when a score stops improving.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/train.h"

namespace portatune::train {

inline constexpr const char* kReduceOnPlateau = "reduce_lr_on_plateau";

/// The state of reduce_lr_on_plateau.
/// source  torch.optim.lr_scheduler.ReduceLROnPlateau
struct Plateau {
  std::optional<double> best;       ///< best score; none: no evaluation has improved yet
  int64_t without_improvement = 0;  ///< number of the last evaluations in a row without improvement
  int64_t cooldown = 0;             ///< evaluations to come that do not count as such
  int64_t reductions = 0;           ///< number of reductions of the rate so far

  /// Adds an evaluation.
  /// score    the deciding score; none: it is undefined, which is no improvement
  /// greater  whether a higher score is better, unless ScheduleOptions::mode says so
  void add(const std::optional<double>& score, const ScheduleOptions& options, bool greater);

  bool operator==(const Plateau&) const = default;
};

/// The learning rate after `reductions`, from the rate `peak`.
double reduced(double peak, const ScheduleOptions& options, int64_t reductions);

}  // namespace portatune::train
