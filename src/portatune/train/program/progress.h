// State that a step passes to the next besides weights and optimizer state. It stays on the device, because the host
// starts a step before it knows the result of the last one.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/device.h"
#include "portatune/ops.h"
#include "portatune/train.h"

namespace portatune::train {

/// Skipping and loss scaling follow torch.amp.GradScaler with its defaults.
inline constexpr double kFirstLossScale = 65536;
inline constexpr int64_t kGrowthInterval = 2000;

struct Progress {
  int64_t updates = 0;     ///< steps that were not skipped
  int64_t good_steps = 0;  ///< updates since the last change of the loss scale
  int64_t void_steps = 0;  ///< steps from the one on that stopped training, which have no effect
  double loss_scale = 1;   ///< factor of the loss before it is differentiated; a power of 2, at least 1
};
/// The progress before the first step.
Progress first_progress(DType compute_dtype);

/// Progress as arrays of a device: int32 [3]: updates, good steps, void steps; float32: loss scale.
std::vector<DeviceArray> put(const Device& device, const Progress& progress);
/// Reads the arrays, waiting for them.
Progress progress_of(const std::vector<DeviceArray>& arrays);

/// Progress as values of a program.
struct ProgressValues {
  Value counters, loss_scale;
};
/// New parameters of a program for its progress.
ProgressValues progress_parameters();
/// Number of updates before the step, a float32 scalar.
Value updates_before(const ProgressValues& progress);

struct Verdict {
  Value makes_update;   ///< float32 scalar: 1, or 0 if the step is skipped
  Value updates;        ///< float32 scalar: number of updates including this one
  Value ended;          ///< bool scalar: whether an earlier step has stopped training
  ProgressValues next;  ///< progress after this step
};
/// Decides about an update. A step is skipped if loss or norm, float32 scalars, are not finite. It stops training under
/// kStop and kRewind, unless the loss is finite and a smaller scale can be tried; then no later step makes an update.
Verdict judge(const ProgressValues& now, const Value& loss, const Value& norm, DType compute_dtype, OnNonFinite then);

/// Returns whether a step was skipped for a gradient that a smaller loss scale of float16 may keep finite.
bool can_scale_down(const StepResult& result);

/// Returns whether a step with these numbers has stopped training.
bool ends_training(const StepResult& result, OnNonFinite then);

}  // namespace portatune::train
