// The checkpoints that fit() writes while it trains.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/train/state.h"

namespace portatune::train {

/// Writes checkpoints of the state after its last step, one at a time, and removes old ones.
class PeriodicSaves {
 public:
  /// All arguments must outlive this object.
  /// last_step  the last step of the run
  PeriodicSaves(TrainingState& state, const FitOptions& options, Callback& callback, int64_t last_step)
      : state_(state), options_(options), callback_(callback), last_step_(last_step) {}

  /// Starts a save. Training continues while a copy of the state is written, if there is memory for one. Failing to
  /// write a checkpoint is no reason to stop: the disk may have room at the next one, and the final model takes less
  /// space.
  /// errors  NumericError, DeviceError
  void start();
  /// Waits for the running save. Training calls it before it rewinds or ends.
  void finish();
  /// Tries again to write the checkpoint of the best model, if that has failed and the run will need it. start() does
  /// so, too. Call it after the last save, before that checkpoint is read.
  void retry_best();
  /// Reports the running save if it is complete, in all processes of a group.
  void finish_completed();

  /// Saves before it returns.
  /// returns  the checkpoint
  /// errors   those of TrainingState::save_checkpoint()
  std::filesystem::path save();
  /// The checkpoint of the last step, saved or not.
  std::filesystem::path path() const;

  /// Seconds for which saves delayed the next step.
  double seconds() const { return seconds_; }
  /// Warnings about checkpoints that could not be written.
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  // A copy of the state, and the thread that writes it.
  struct BackgroundSave {
    Checkpoint checkpoint;
    // The reason why an older checkpoint could not be removed, or empty. Last, as its destructor waits for the thread.
    std::future<std::string> written = {};
  };

  // A save that has failed, and the index of its warning in failed().
  struct FailedSave {
    std::unique_ptr<BackgroundSave> save;
    size_t warning;
  };

  void start_writing(Checkpoint copy);
  std::string write();
  // Returns whether the save has succeeded.
  bool handling_failure(int64_t step, const std::function<void()>& save);
  bool is_best(const BackgroundSave& save) const;
  void warn_of_failure(int64_t step, const std::string& why);
  std::string remove_before(const std::filesystem::path& path, int64_t best_step) const;
  void report(const std::filesystem::path& checkpoint, const std::string& fault);

  TrainingState& state_;
  const FitOptions& options_;
  Callback& callback_;
  const int64_t last_step_;
  double seconds_ = 0;
  std::vector<std::string> failed_;
  std::unique_ptr<BackgroundSave> running_;  // its thread keeps its address
  std::optional<FailedSave> failed_best_;    // its copy is valid until the next copy
};

}  // namespace portatune::train
