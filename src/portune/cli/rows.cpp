#include "portune/cli/rows.h"

#include "portune/base/stop.h"
#include "portune/cli/bad_rows.h"

namespace portune::cli {

data::Dataset interruptible(const data::Dataset& dataset) {
  return dataset.filter([](const data::Example&) {
    stop_if_requested();
    return true;
  });
}

int64_t count_examples(const ModelArguments& model, const RowTask& task, const data::Dataset& rows) {
  return interruptible(tolerant(model, task.examples(rows))).count();
}

data::Dataset evaluation_batches(const ModelArguments& model, const RowTask& task, const data::Dataset& rows,
                                 int64_t size, RowTask::Labels labels) {
  return tolerant(model, task.batches(rows, size, labels)).prefetch(2);
}

}  // namespace portune::cli
