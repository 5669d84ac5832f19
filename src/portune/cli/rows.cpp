#include "portune/cli/rows.h"

#include "portune/cli/exit_code.h"
#include "portune/cli/signals.h"

namespace portune::cli {

data::Dataset interruptible(const data::Dataset& dataset) {
  return dataset.filter([](const data::Example&) {
    stop_if_signalled();
    return true;
  });
}

data::Dataset evaluation_batches(const RowTask& task, const data::Dataset& rows, int64_t size, RowTask::Labels labels) {
  return task.batches(rows, size, labels).prefetch(2);
}

}  // namespace portune::cli
