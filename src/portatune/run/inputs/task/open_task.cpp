#include "portatune/run/inputs/task/open_task.h"

#include "portatune/error.h"
#include "portatune/run/inputs/task/config_overrides.h"
#include "portatune/run/inputs/task/given_options.h"
#include "portatune/tasks/registry.h"

namespace portatune::run {

const TaskSpec& spec_of(const ModelOptions& model, const std::filesystem::path& folder) {
  return model.task.empty() ? tasks::task_of(folder) : tasks::task_called(model.task);
}

void require_labels(const ModelOptions& model, const std::filesystem::path& folder) {
  const TaskSpec& spec = spec_of(model, folder);
  if (!tasks::only_predicts(spec)) return;
  throw UsageError({.where = "--task " + spec.name,
                    .given = "a task that only predicts",
                    .expected = "a task that learns from labels and measures them",
                    .fix = "portatune predict --task " + spec.name});
}

std::unique_ptr<RowTask> open_task(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes, Events& events) {
  const TaskSpec& spec = spec_of(model, folder);
  if (classes != Classes::kOfModel) require_labels(model, folder);
  require_options_of(spec, model.given);
  const TaskContext context{.model = source_of(model, folder),
                            .files = files,
                            .table = model.table,
                            .bad_rows = model.bad_rows,
                            .classes = classes,
                            .notice = [&events](const std::string& remark) { events.notice(remark); }};
  std::unique_ptr<RowTask> task = spec.make(context, model.options);
  require_known_overrides(model, *task);
  if (classes == Classes::kOfModel) task->require_weights();
  if (!model.lengths.empty()) task->set_lengths(model.lengths);
  if (!model.pairs.empty()) task->set_pairs(model.pairs);
  return task;
}

void require_sample_rows(const ModelOptions& model) {
  const TaskSpec& spec = spec_of(model, model.folder);
  if (spec.sample_rows) return;
  throw UsageError(
      {.where = "train",
       .given = "no rows",
       .expected = "rows to train on, as the batches of --task " + spec.name + " are not known without them"});
}

data::Dataset sample_rows(const ModelOptions& model, const RowTask& task) {
  return data::from_examples(spec_of(model, model.folder).sample_rows(task, model.options));
}

}  // namespace portatune::run
