// The rows of the trials of a sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "portatune/data/example_memory.h"
#include "portatune/run.h"
#include "portatune/run/inputs/rows/surveyed_rows.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// The rows, the task and the shapes that trials share.
class SharedRows {
 public:
  /// first              options of the first of these trials
  /// max_encoded_bytes  maximum size of the encoded rows that they keep in memory
  SharedRows(const RunOptions& first, int64_t max_encoded_bytes, Events& events);

  SurveyedRows& rows() { return rows_; }
  /// checkpoint  see RunPlan::checkpoint
  RunPlan plan_of(RunOptions options, std::filesystem::path checkpoint, Events& events) const;

 private:
  RunPlan with_memory(RunPlan plan) const;

  const std::shared_ptr<data::ExampleMemory> encoded_;  // tasks of the trials share it, too
  const RunPlan plan_;
  SurveyedRows rows_;
};

/// The rows of all trials. Trials share them if all settings in which they differ are options of training alone.
/// Thread-safe.
class RowsOfTrials {
 public:
  /// Both must outlive this object.
  RowsOfTrials(const std::vector<Trial>& trials, Events& events);

  /// Reads the rows in the first call for a trial with them.
  /// errors  those of run::fit() in its rows
  SharedRows& of(size_t trial);

 private:
  const std::vector<Trial>& trials_;
  Events& events_;
  std::vector<std::string> settings_;  // by trial: those that decide about its rows
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SharedRows>> shared_;  // by these settings; null: not read yet
};

}  // namespace portatune::run
