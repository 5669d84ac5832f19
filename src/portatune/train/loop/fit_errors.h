// The errors that end fit() before its last step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "portatune/error.h"
#include "portatune/train.h"
#include "portatune/train/loop/skip_limit.h"

namespace portatune::train {

/// The saved state from before a failed step: its checkpoint, or the reason why there is none; both may be empty.
struct SavedBefore {
  std::filesystem::path path;
  std::string fault;
};

/// A step whose loss or gradient is not finite.
/// first    first non-finite value: see TrainingState::first_not_finite()
/// rewinds  rewinds before it, without an update since
NumericError not_finite(const StepResult& result, const data::Example& batch, const std::string& first,
                        const SavedBefore& saved, int64_t rewinds);

/// More skipped steps than allowed.
/// finite  whether the weights are finite
NumericError too_many_skips(const TooManySkips& skips, bool finite, const SavedBefore& saved);

/// Weights whose loss is not finite for a batch that had a finite loss before.
/// steps, skipped  steps of the run, of which the last ones were skipped
NumericError unsound_weights(int64_t steps, int64_t skipped, const data::Example& batch, const std::string& first);

}  // namespace portatune::train
