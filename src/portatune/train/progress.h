// What steps hand on besides weights and moments. It is kept on the device, as the host starts a step before it knows
// how the last one went.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/device.h"
#include "portatune/ops.h"
#include "portatune/train.h"

namespace portatune::train {

/// Skipping and the scale of the loss are those of torch.amp.GradScaler with its defaults.
inline constexpr double kFirstLossScale = 65536;
inline constexpr int64_t kGrowthInterval = 2000;

struct Progress {
  int64_t updates = 0;     ///< steps that were not skipped
  int64_t good_steps = 0;  ///< of these, since the scale of the loss has changed
  int64_t void_steps = 0;  ///< steps from the one on that has ended the training, which count nothing
  double loss_scale = 1;   ///< what the loss is multiplied by before it is differentiated; a power of 2, at least 1
};
/// Before the first step.
Progress first_progress(DType compute_dtype);

/// As arrays of a device: int32 [3]: updates, good steps, void steps; float32: scale of the loss.
std::vector<DeviceArray> put(const Device& device, const Progress& progress);
/// Waits for them.
Progress progress_of(const std::vector<DeviceArray>& arrays);

/// The same in a program.
struct ProgressValues {
  Value counters, loss_scale;
};
/// Parameters of a program for it.
ProgressValues progress_parameters();

struct Verdict {
  Value makes_update;   ///< float32 scalar: 1, or 0 where the step is skipped
  Value updates;        ///< float32 scalar: how many there are with this one
  Value ended;          ///< bool scalar: whether an earlier step has ended the training
  ProgressValues next;  ///< after this step
};
/// A step is skipped where loss or norm, float32 scalars, are not finite. It ends the training under kStop and
/// kRewind, unless the loss is finite and a smaller scale can be tried; then no later one makes an update.
Verdict judge(const ProgressValues& now, const Value& loss, const Value& norm, DType compute_dtype, OnNonFinite then);

/// Whether a step was skipped for a gradient that a smaller scale of float16's loss may keep finite.
bool can_scale_down(const StepResult& result);

/// The same of a step's numbers: whether it has ended the training.
bool ends_training(const StepResult& result, OnNonFinite then);

}  // namespace portatune::train
