// What a run reports while it works.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "portatune/data.h"
#include "portatune/device.h"
#include "portatune/train.h"

namespace portatune::run {

/// Counts the rows of passes over data.
class RowProgress {
 public:
  virtual ~RowProgress() = default;

  /// Counts rows that the pass has read.
  void add(int64_t rows);
  /// Ends the pass. The next one is expected to have as many rows.
  virtual void finish() {}

  /// Number of rows of all passes.
  int64_t rows() const { return rows_; }

  /// The same batches; their rows are counted as they are read. This object must outlive the pass.
  data::Dataset over(const data::Dataset& batches);

 private:
  virtual void on_rows([[maybe_unused]] int64_t rows) {}

  int64_t rows_ = 0;
};

/// Observes the training of one model; counts skipped steps.
class TrainingObserver : public Callback {
 public:
  void on_step(const StepResult& result, int64_t total_steps) final;

  /// Number of skipped steps since the last update of the weights.
  int64_t skipped_at_end() const { return skipped_at_end_; }

 private:
  /// As Callback::on_step().
  virtual void on_counted_step([[maybe_unused]] const StepResult& result, [[maybe_unused]] int64_t total_steps) {}

  int64_t skipped_at_end_ = 0;
};

/// Observer of a run. By default nothing is reported. Of several processes each has its own observer.
class Events {
 public:
  virtual ~Events() = default;

  /// A remark.
  virtual void notice([[maybe_unused]] const std::string& text) {}
  /// A probable mistake, or a fault that does not end the run.
  virtual void warning([[maybe_unused]] const std::string& text) {}
  /// A fact about the result that no setting may hide. Only the first process reports it.
  virtual void alert([[maybe_unused]] const std::string& text) {}

  /// The scores of the validation rows before training.
  virtual void scores_before([[maybe_unused]] const Scores& scores) {}

  /// The run writes to the folder of this lock file; an empty path: no longer.
  virtual void lock_file([[maybe_unused]] const std::filesystem::path& path) {}

  /// The run was stopped on request after `step`, whose checkpoint is saved. Only the first process reports it.
  virtual void stopped([[maybe_unused]] int64_t step, [[maybe_unused]] const std::filesystem::path& checkpoint) {}
  /// The run ends before its last step, or without its model, and this checkpoint can resume it. Only the first process
  /// reports it.
  /// reason  what happened, as "the model is not saved; step 8 is in out/checkpoint-8"
  virtual void resumable([[maybe_unused]] const std::filesystem::path& checkpoint,
                         [[maybe_unused]] const std::string& reason) {}
  /// The model is saved in this folder, as neither it nor a checkpoint fits into the output folder. Only the first
  /// process reports it.
  virtual void rescued([[maybe_unused]] const std::filesystem::path& model) {}
  /// A stop was requested after the model was saved: this validation set is not measured.
  virtual void unmeasured([[maybe_unused]] const std::string& validation_set) {}

  /// Observer of passes over data.
  /// activity  what the passes are for: "evaluating"
  virtual std::unique_ptr<RowProgress> progress(const std::string& activity);
  /// Observer of the training of one model. Its should_stop() requests the end of the run.
  /// evaluation  observer of the validation that ends each epoch; it outlives the result
  virtual std::unique_ptr<TrainingObserver> training(int64_t epochs, RowProgress& evaluation);
};

/// The same options with warnings to `events`, which must outlive the device.
DeviceOptions with_warnings(DeviceOptions options, Events& events);

}  // namespace portatune::run
