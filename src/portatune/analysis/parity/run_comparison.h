// The same training with two settings (devices, kernels or none, dtypes), side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/analysis/parity/drift.h"
#include "portatune/train.h"

namespace portatune::parity {

/// One of the two runs. Both need the same seed, learning rates and schedule.
struct Run {
  const Device& device;
  TrainingOptions options;
};

/// The distance of a parameter, or of its gradient, between two runs.
struct Drift {
  enum class Kind { kGradient, kParameter };
  Kind kind = Kind::kGradient;
  std::string tensor;  ///< name of the parameter
  int64_t step = 0;    ///< step after which it was measured, counted from 1
  double apart = 0;    ///< distance as defined by DriftTolerance for this kind
  double allowed = 0;

  bool passed() const { return apart <= allowed; }
};
/// The name "gradient" or "parameter".
std::string_view name_of(Drift::Kind kind);

struct ComparedStep {
  int64_t step = 0;
  std::array<double, 2> loss = {}, grad_norm = {};
  bool has_tensors = false;            ///< whether gradients and parameters were compared after this step
  double gradient = 0, parameter = 0;  ///< largest Drift::apart of each kind after this step
  int64_t tensors_beyond = 0;          ///< number of gradients and parameters beyond the tolerance after this step

  double loss_apart() const { return relative_difference(loss[0], loss[1]); }
  double grad_norm_apart() const { return relative_difference(grad_norm[0], grad_norm[1]); }
  /// Returns whether loss, norm and all tensors are within the tolerance.
  bool passed(const DriftTolerance& tolerance) const;
};

/// A step at which one run has ended, and the other has not.
struct NotFinite {
  int run = 0;  ///< 0 or 1
  int64_t step = 0;
  std::string first;  ///< first non-finite value: see TrainingState::first_not_finite()
};

struct RunComparison {
  DriftTolerance tolerance;
  std::vector<ComparedStep> steps;
  /// The largest drift of each, in the order of the forward pass; parameters without those of small gradients
  /// (DriftTolerance::small).
  std::vector<Drift> gradients, parameters;
  /// All drifts beyond the tolerance after the earliest step with any: gradients, then parameters. The first of them is
  /// the first tensor that drifts. Parameters likewise without those of small gradients.
  std::vector<Drift> first_beyond;
  std::optional<NotFinite> not_finite;  ///< the last step, in which no tensors were compared

  double max_loss_apart() const;
  double mean_loss_apart() const;
  bool passed() const;
};

struct RunComparisonOptions {
  int64_t steps = 20;
  int64_t every = 1;        ///< interval of steps after which tensors are compared, besides the first and last step
  int64_t total_steps = 0;  ///< length of the schedule; at least `steps`
  DType tolerance = DType::kFloat32;
  Callback* callback = nullptr;  ///< observes the programs of both runs and the steps of the first
};

/// Makes each step with both settings, from the same weights, with the same batches and random keys. Weights and
/// moments of both runs are on their devices at the same time; the host has one parameter of each at a time.
/// batches  repeated as often as needed
/// errors   DataError if there are none; NumericError if a step is not finite in both runs; Stopped
RunComparison compare_runs(const Task& task, const Run& first, const Run& second, const data::Dataset& batches,
                           const RunComparisonOptions& options);

}  // namespace portatune::parity
