#include "portatune/cli/rows.h"

#include "portatune/base/stop.h"
#include "portatune/cli/bad_rows.h"

namespace portatune::cli {

data::Dataset interruptible(const data::Dataset& dataset) {
  return dataset.filter([](const data::Example&) {
    stop_if_requested();
    return true;
  });
}

int64_t count(const data::Dataset& dataset) {
  constexpr int64_t kAtOnce = 64;  // rows may be images, and slow to pass over
  data::Cursor cursor = dataset.iterate();
  for (int64_t all = 0;;) {
    const int64_t skipped = cursor.skip(kAtOnce);
    all += skipped;
    if (skipped < kAtOnce) return all;
    stop_if_requested();
  }
}

int64_t count_examples(const ModelArguments& model, const RowTask& task, const data::Dataset& rows) {
  return count(tolerant(model, task.examples(rows)));
}

data::Dataset evaluation_batches(const ModelArguments& model, const RowTask& task, const data::Dataset& rows,
                                 int64_t size, RowTask::Labels labels) {
  return tolerant(model, task.batches(rows, size, labels)).prefetch(2);
}

}  // namespace portatune::cli
