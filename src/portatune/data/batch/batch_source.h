// Sources that have a faster way to batches than to make one example after the other.
#pragma once

#include "portatune/data/stage.h"

namespace portatune::data {

/// What such a stage is beside a Stage. Dataset::batch asks for it.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// The stage's elements in batches, the same as Dataset::batch would gather; null where it has no faster way.
  /// gathered  those that it would gather, for what the faster way cannot do
  virtual StagePtr batched(const BatchOptions& options, const StagePtr& gathered) const = 0;
};

}  // namespace portatune::data
