#include "portatune/data/batch/batch_source.h"
#include "portatune/data/batch/batching.h"
#include "portatune/data/batch/stack.h"

namespace portatune::data {

Dataset Dataset::batch(BatchOptions options) const {
  require_at_least("batch", "size", options.size, 1);
  Dataset gathered = gather_batches(stage_, options, [](const std::vector<Example>& rows, int64_t size) {
    return stack("batch", rows, size, unpadded);
  });
  if (const auto* source = dynamic_cast<const BatchSource*>(stage_.get())) {
    if (StagePtr batches = source->batched(options, gathered.stage_)) return Dataset(std::move(batches));
  }
  return gathered;
}

}  // namespace portatune::data
