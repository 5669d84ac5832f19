// Sources that can make batches faster than from single examples.
#pragma once

#include "portatune/data/stage.h"

namespace portatune::data {

/// Interface of such a source beside Stage, for Dataset::batch.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// A stage with the same batches as Dataset::batch; null if it cannot make them faster.
  /// gathered  the batches of Dataset::batch, as a fallback
  virtual StagePtr batched(const BatchOptions& options, const StagePtr& gathered) const = 0;
};

}  // namespace portatune::data
