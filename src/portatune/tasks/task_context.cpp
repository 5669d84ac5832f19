#include "portatune/tasks/task_context.h"

#include "portatune/base/threads/stop.h"

namespace portatune {

data::Dataset TaskContext::readable(const data::Dataset& rows) const {
  return tasks::interruptible(bad_rows ? rows.skip_bad_rows(bad_rows) : rows);
}

namespace tasks {

data::Dataset interruptible(const data::Dataset& dataset) {
  return dataset.filter([](const data::Example&) {
    stop_if_requested();
    return true;
  });
}

data::Example sample_row(const RowTask& task) {
  data::Example row;
  for (const std::string& column : task.columns(RowTask::Labels::kRequired)) row.set(column, "a");
  return row;
}

void set_if_read(data::Example& row, const std::string& column, const std::string& value) {
  if (row.has(column)) row.set(column, value);
}

}  // namespace tasks
}  // namespace portatune
