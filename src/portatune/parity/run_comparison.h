// The same training on two settings (devices, kernels or none, dtypes), side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/parity/drift.h"
#include "portatune/train.h"

namespace portatune::parity {

/// One of the two runs. Seed, rates and schedule are to be those of the other.
struct Run {
  const Device& device;
  TrainingOptions options;
};

/// A parameter, or its gradient, in two runs.
struct Drift {
  enum class Kind { kGradient, kParameter };
  Kind kind = Kind::kGradient;
  std::string tensor;  ///< name of the parameter
  int64_t step = 0;    ///< after which it was so, counted from 1
  double apart = 0;    ///< as DriftTolerance has it for this kind
  double allowed = 0;

  bool passed() const { return apart <= allowed; }
};
/// "gradient", "parameter".
std::string_view name_of(Drift::Kind kind);

struct ComparedStep {
  int64_t step = 0;
  std::array<double, 2> loss = {}, grad_norm = {};
  bool has_tensors = false;            ///< whether gradients and parameters were compared after this step
  double gradient = 0, parameter = 0;  ///< the largest Drift::apart of each kind then
  int64_t tensors_beyond = 0;          ///< number of gradients and parameters beyond the tolerance after this step

  double loss_apart() const { return relative_difference(loss[0], loss[1]); }
  double grad_norm_apart() const { return relative_difference(grad_norm[0], grad_norm[1]); }
  /// Whether loss, norm and all tensors are within the tolerance.
  bool passed(const DriftTolerance& tolerance) const;
};

/// Where one run has ended, and the other has not.
struct NotFinite {
  int run = 0;  ///< 0 or 1
  int64_t step = 0;
  std::string first;  ///< what went wrong first: see TrainingState::first_not_finite()
};

struct RunComparison {
  DriftTolerance tolerance;
  std::vector<ComparedStep> steps;
  /// Each where it was furthest apart, in the order of the forward pass; parameters without those of small gradients
  /// (DriftTolerance::small).
  std::vector<Drift> gradients, parameters;
  /// All that were beyond what is allowed after the earliest step where any was: gradients, then parameters. The first
  /// of them is the first tensor that drifts. Parameters likewise without those of small gradients.
  std::vector<Drift> first_beyond;
  std::optional<NotFinite> not_finite;  ///< in the last of the steps, in which no tensors were compared

  double max_loss_apart() const;
  double mean_loss_apart() const;
  bool passed() const;
};

struct RunComparisonOptions {
  int64_t steps = 20;
  int64_t every = 1;        ///< tensors are compared after the first step, each of so many and the last
  int64_t total_steps = 0;  ///< of the schedule; at least `steps`
  DType tolerance = DType::kFloat32;
  Callback* callback = nullptr;  ///< hears of programs, of both runs, and of the steps of the first
};

/// Makes each step on both settings, from the same weights, with the same batches and random keys. Weights and moments
/// of both runs are on their devices at the same time; on the host there is one parameter of each at a time.
/// batches  repeated as often as needed
/// errors   DataError if there is none; NumericError if a step is not finite in both runs; Stopped
RunComparison compare_runs(const Task& task, const Run& first, const Run& second, const data::Dataset& batches,
                           const RunComparisonOptions& options);

}  // namespace portatune::parity
