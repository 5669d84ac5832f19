#include "portatune/run/inputs/rows/rows.h"

#include "portatune/base/threads/stop.h"

namespace portatune::run {

data::TableOptions table_options(const ModelOptions& model, std::vector<std::string> columns) {
  data::TableOptions options = model.table;
  options.columns = std::move(columns);
  return options;
}

data::Dataset read_rows(const ModelOptions& model, const std::vector<std::string>& files, const RowTask& task,
                        RowTask::Labels labels) {
  return task.read(files, labels, model.table).named("read");
}

int64_t count(const data::Dataset& dataset) {
  constexpr int64_t kAtOnce = 64;  // few, as rows may be images, which are slow to skip
  data::Cursor cursor = dataset.iterate();
  for (int64_t all = 0;;) {
    const int64_t skipped = cursor.skip(kAtOnce);
    all += skipped;
    if (skipped < kAtOnce) return all;
    stop_if_requested();
  }
}

data::Dataset tolerant(const ModelOptions& model, const data::Dataset& dataset) {
  return model.bad_rows ? dataset.skip_bad_rows(model.bad_rows) : dataset;
}

data::Dataset first_rows(const data::Dataset& rows, int64_t most) { return most > 0 ? rows.take(most) : rows; }

std::optional<int64_t> skipped_rows(const std::shared_ptr<data::BadRows>& bad_rows) {
  return bad_rows ? std::optional(bad_rows->count()) : std::nullopt;
}

int64_t count_examples(const ModelOptions& model, const RowTask& task, const data::Dataset& rows) {
  return count(tolerant(model, task.examples(rows)));
}

data::Dataset evaluation_batches(const ModelOptions& model, const RowTask& task, const data::Dataset& rows,
                                 int64_t size, RowTask::Labels labels) {
  return tolerant(model, task.batches(rows, size, labels)).prefetch(2);
}

std::optional<data::Dataset> length_batches(const ModelOptions& model, const RowTask& task, const data::Dataset& rows,
                                            RowTask::Labels labels) {
  const std::optional<data::Dataset> batches = task.length_batches(rows, labels);
  return batches ? std::optional(tolerant(model, *batches)) : std::nullopt;
}

data::Dataset counted_batches(const ModelOptions& model, const RowTask& task, const data::Dataset& rows, int64_t size,
                              RowTask::Labels labels) {
  const auto lengths = length_batches(model, task, rows, labels);
  return lengths ? *lengths : evaluation_batches(model, task, rows, size, labels);
}

}  // namespace portatune::run
