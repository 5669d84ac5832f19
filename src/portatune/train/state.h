// All that changes while a model is trained, and the compiled programs that change it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/train.h"
#include "portatune/train/batch_shapes.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "portatune/train/programs.h"
#include "portatune/train/weights.h"

namespace portatune::train {

/// The value of a float32 scalar. Waits for it.
double scalar(const DeviceArray& array);

/// What an evaluation of a batch gave.
struct Evaluated {
  data::Example batch;
  double loss_sum = 0, weight_sum = 0;
  data::Example outputs;
};

/// An evaluation that may still be running.
class StartedEvaluation {
 public:
  StartedEvaluation(data::Example batch, std::vector<DeviceArray> results, const std::vector<std::string>& outputs)
      : batch_(std::move(batch)), results_(std::move(results)), outputs_(&outputs) {}
  /// Waits for it. Call once.
  Evaluated finish();

 private:
  data::Example batch_;
  std::vector<DeviceArray> results_;
  const std::vector<std::string>* outputs_;  // of the program, which the state keeps
};

/// A checkpoint of one step, before it is written.
struct Checkpoint {
  std::filesystem::path folder;
  Position position;
  std::vector<NamedArray> weights, moments;
};

class TrainingState {
 public:
  /// device, task: must outlive this object
  TrainingState(const Device& device, const Task& task, TrainingOptions options);

  const Task& task() const { return task_; }
  /// That train together; null if this one is alone.
  ProcessGroup* processes() const { return device_.processes(); }
  const TrainingOptions& options() const { return options_; }
  const LoadReport& load_report() const { return weights_.load_report(); }
  const Weights& weights() const { return weights_; }
  /// Steps made, those before a resumption included.
  int64_t steps() const { return position_.step; }
  /// Of the epoch under way; kept in checkpoints, as the steps before one count too.
  MeanLoss& epoch_loss() { return position_.epoch_loss; }
  /// Whether steps have been made of an epoch whose end has not been told; kept in checkpoints.
  bool& in_epoch() { return position_.in_epoch; }
  /// Scores from before the first step; kept in checkpoints.
  Scores& initial_scores() { return position_.initial_scores; }
  /// data::Cursor::state() of the batches, where the one after the last step comes next; kept in checkpoints. Empty
  /// where nobody has told since the last step.
  std::string& data_state() { return position_.data; }

  /// Whom to tell about compilations; may be nullptr.
  void tell(Callback* callback) { callback_ = callback; }

  /// How many steps there will be, where the learning rate depends on that.
  /// errors  UsageError if the run that is resumed had another number, unless it is finished and there are more now
  void set_schedule(int64_t total_steps);

  /// Loads the weights, the first time. See Trainer::load().
  void load(const data::Example& batch);
  /// Compiles the programs for batches of these shapes that are not there yet, several at a time. Returns how many
  /// these were.
  int64_t compile(const std::vector<Signature>& steps, const std::vector<Signature>& evaluations);

  /// Progress of the steps made; waits for them.
  Progress progress() const;
  /// Of these, those that made no update.
  int64_t skipped_steps() const { return position_.step - progress().updates; }
  /// Of the run, those before a resumption included.
  const Rewinds& rewinds() const { return position_.rewinds; }
  /// Kept in checkpoints.
  Skips& skips() { return position_.skips; }
  /// See Trainer::deviations().
  const std::vector<std::string>& deviations() const { return position_.deviations; }
  void add_deviation(std::string text) { position_.deviations.push_back(std::move(text)); }
  /// The one that was written last, or that this run continues; empty if there is none yet.
  const std::filesystem::path& last_checkpoint() const { return last_checkpoint_; }
  /// To the weights, moments and progress of last_checkpoint(), or of the start, after a step that has ended the
  /// training, where no step has made an update since. The step counts as made: what comes next is the batch after it.
  /// errors  those of Weights::restore, after which nothing can be saved, evaluated or trained
  void rewind(int64_t step);
  /// As all was before a step that has ended the training, where no step has made an update since.
  void return_to_before(int64_t step);
  /// What went wrong first in the step after those made: "\"pixel_values\" of the batch", "the weight x, before the
  /// step", "the loss", "the gradient of x". Empty if all is finite. Compiles a program for it. Of several processes
  /// all call it.
  std::string first_not_finite(const data::Example& batch);
  /// Whether all weights are finite.
  bool has_finite_weights() const { return weights_.first_not_finite().empty(); }

  /// Starts a step. The arrays of the batch are copied before it returns.
  StepResult start_step(const data::Example& batch);
  StartedEvaluation start_evaluation(data::Example batch);

  /// Both replace a folder that is there in one move; see Trainer. Of several processes all call them.
  void save(const std::filesystem::path& folder) const;
  void save_checkpoint(const std::filesystem::path& folder);

  /// The same in three parts. The first one gives a checkpoint whose arrays are copies in host memory, so that steps
  /// may be made while write() runs on another thread; nothing where that memory is short, and of several processes, as
  /// their exchanges for it would get mixed up with those of steps.
  std::optional<Checkpoint> copy_checkpoint(const std::filesystem::path& folder);
  /// errors  as save_checkpoint()
  void write(const Checkpoint& checkpoint) const;
  /// From now on rewind() goes back to this checkpoint, which has been written.
  void set_last_checkpoint(const Checkpoint& checkpoint);

  /// errors  as Trainer::resume
  void resume(const std::filesystem::path& folder);
  /// The checkpoint that this run continues; empty if it continues none.
  const std::filesystem::path& resumed_from() const { return resumed_from_; }

 private:
  struct CompiledEvaluation {
    Program program;
    std::vector<std::string> outputs;
  };

  struct Job;

  void plan_step(const Signature& batch, std::vector<Job>& jobs);
  void plan_evaluation(const Signature& batch, std::vector<Job>& jobs);
  std::vector<DeviceArray> put(const data::Example& batch, const Signature& signature) const;
  void require_weights(const std::filesystem::path& folder) const;
  void take_facts_of_this_run(Position& position) const;
  Checkpoint checkpoint_of_now(const std::filesystem::path& folder);

  const Device& device_;
  const Task& task_;
  const TrainingOptions options_;
  Callback* callback_ = nullptr;
  std::filesystem::path resumed_from_, last_checkpoint_;
  int64_t kept_updates_ = 0;  // of the last checkpoint
  Weights weights_;
  Position position_;
  std::vector<DeviceArray> progress_;  // of position_.progress on, as a step takes them; empty before the first
  // By the shapes of the batches, of which there are few.
  std::map<std::string, Program> step_programs_;
  std::map<std::string, CompiledEvaluation> evaluation_programs_;
};

}  // namespace portatune::train
