// Every choice that a run needs beside its options.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "portatune/data.h"
#include "portatune/io/file/watched_files.h"
#include "portatune/run.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// The options of a run, with max_length, lengths and packing as they are chosen, and what they leave open.
struct RunPlan : RunOptions {
  explicit RunPlan(RunOptions options) : RunOptions(std::move(options)) {}

  std::filesystem::path checkpoint;          ///< Checkpoint that the run starts from; empty: the model.
  std::string weights;                       ///< Column of the weights; empty: every row has weight 1.
  std::optional<data::PackedShapes> packed;  ///< Shapes of packed batches; none: one text per row.
  std::shared_ptr<io::WatchedFiles> inputs;  ///< The local files of rows, as they were before they were read.
  std::shared_ptr<RowTask> task;             ///< The task, with the classes of the rows, and these lengths.
};

/// Chooses the task, the weights and the shapes of batches. Reads the rows for that, and reports the choices.
/// checkpoint  see RunPlan::checkpoint
/// errors      those of with_hub_files(), open_task() and choose_shapes()
RunPlan plan_run(RunOptions options, std::filesystem::path checkpoint, Events& events);

/// The plan of a run with the rows, the task, the lengths and the packing of another plan. Its options may differ from
/// those of the other run only in training.
/// checkpoint  see RunPlan::checkpoint
RunPlan plan_like(const RunPlan& other, RunOptions options, std::filesystem::path checkpoint, Events& events);

/// The plan of a run without rows, for batches of sample_rows().
/// errors  UsageError for a task that needs rows
RunPlan plan_without_rows(RunOptions options, Events& events);

/// The folder that the task is made from: a checkpoint is a whole model.
const std::filesystem::path& model_of(const RunPlan& plan);

/// errors  UsageError for options of a cross-validation, and for options that exclude each other
void check_one_run(const RunOptions& a);

/// errors  UsageError for a batch in parts, over devices or micro-batches, if the loss of the task is not a mean over
///         rows
void check_parts(const RunOptions& a, const RowTask& task);

/// For commands that look into a run, and neither resume one nor save one.
/// errors  UsageError for --folds and --resume, and those of check_one_run()
void check_new_run(const RunOptions& a);

}  // namespace portatune::run
