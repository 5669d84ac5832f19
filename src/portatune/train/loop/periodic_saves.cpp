#include "portatune/train/loop/periodic_saves.h"

#include <chrono>
#include <optional>
#include <utility>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/clock.h"
#include "portatune/error.h"
#include "portatune/process_group.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"

namespace portatune::train {

void PeriodicSaves::start() {
  const Clock::time_point begin = Clock::now();
  retry_best();
  std::optional<std::string> fault;  // of the removal of older ones; none: this one is not written
  handling_failure(state_.steps(), [&] {
    if (auto copy = state_.copy_checkpoint(path())) return start_writing(std::move(*copy));
    fault = write();
  });
  seconds_ += seconds_since(begin);
  if (fault) report(path(), *fault);
}

void PeriodicSaves::start_writing(Checkpoint copy) {
  running_.reset(new BackgroundSave{std::move(copy)});
  // If no thread can be started, get() writes the checkpoint in this one.
  running_->written =
      std::async(std::launch::async | std::launch::deferred, [this, &checkpoint = running_->checkpoint] {
        state_.write(checkpoint);
        if (!is_first(state_.processes())) return std::string();
        return remove_before(checkpoint.folder, checkpoint.position.evaluations.best_step);
      });
}

void PeriodicSaves::finish() {
  std::unique_ptr<BackgroundSave> save = std::move(running_);
  if (!save) return;
  std::string fault;
  const bool is_written = handling_failure(save->checkpoint.position.step, [&] {
    fault = save->written.get();
    state_.set_last_checkpoint(save->checkpoint);
  });
  if (is_written) return report(save->checkpoint.folder, fault);
  if (is_best(*save)) failed_best_ = {.save = std::move(save), .warning = failed_.size() - 1};
}

// Whether the run ends with the model of this checkpoint, as far as is known.
bool PeriodicSaves::is_best(const BackgroundSave& save) const {
  return options_.best_model.load_at_end && save.checkpoint.position.step == state_.evaluations().best_step;
}

void PeriodicSaves::retry_best() {
  finish();
  const std::optional<FailedSave> failed = std::exchange(failed_best_, std::nullopt);
  if (!failed || !is_best(*failed->save)) return;
  try {
    state_.write(failed->save->checkpoint);
  } catch (const DeviceError&) {
    throw;
  } catch (const std::exception&) {  // its failure is reported already
    return;
  }
  failed_.erase(failed_.begin() + static_cast<std::ptrdiff_t>(failed->warning));
  report(failed->save->checkpoint.folder, "");
}

void PeriodicSaves::finish_completed() {
  if (!running_) return;
  const bool is_running = running_->written.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  if (!in_any(state_.processes(), is_running)) finish();
}

std::filesystem::path PeriodicSaves::save() {
  const std::string fault = write();
  report(path(), fault);
  return path();
}

// Writes the checkpoint of the last step. Returns the reason why an older one could not be removed, or an empty text.
std::string PeriodicSaves::write() {
  state_.save_checkpoint(path());
  return is_first(state_.processes()) ? remove_before(path(), state_.evaluations().best_step) : "";
}

std::filesystem::path PeriodicSaves::path() const {
  return checkpoint_path(options_.checkpoints.folder, state_.steps());
}

bool PeriodicSaves::handling_failure(int64_t step, const std::function<void()>& save) {
  try {
    save();
    return true;
  } catch (const NumericError&) {
    throw;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    warn_of_failure(step, one_line(error.report()));
  } catch (const std::exception& error) {
    warn_of_failure(step, error.what());
  }
  return false;
}

void PeriodicSaves::warn_of_failure(int64_t step, const std::string& why) {
  const CheckpointOptions& checkpoints = options_.checkpoints;
  const int64_t every = checkpoints.strategy == SaveStrategy::kSteps ? checkpoints.every : 0;
  // A checkpoint of the best model may lie between two regular ones.
  const int64_t next = every > 0 ? (step / every + 1) * every : 0;
  const std::string which = step == last_step_ ? "the last step" : "step " + std::to_string(step);
  const std::string retry =
      every > 0 && next < last_step_ ? "; the next one is due at step " + std::to_string(next) : "";
  failed_.push_back("there is no checkpoint of " + which + retry + ": " + why);
  callback_.on_warning(failed_.back());
}

// Returns the reason why a checkpoint could not be removed, or an empty text.
std::string PeriodicSaves::remove_before(const std::filesystem::path& path, int64_t best_step) const {
  const CheckpointOptions& checkpoints = options_.checkpoints;
  return remove_old_checkpoints(checkpoints.folder, checkpoints.keep, best_step, {state_.resumed_from(), path});
}

void PeriodicSaves::report(const std::filesystem::path& checkpoint, const std::string& fault) {
  callback_.on_checkpoint(checkpoint);
  if (!fault.empty()) callback_.on_warning(fault);
}

}  // namespace portatune::train
