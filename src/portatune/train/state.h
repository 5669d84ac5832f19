// The state of training and the compiled programs that change it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/runtime/compiled_model.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "portatune/train/checkpoint/checkpoint_writer.h"
#include "portatune/train/program/batch_shapes.h"
#include "portatune/train/program/programs.h"
#include "portatune/train/weights.h"

namespace portatune::train {

/// The value of a float32 scalar. Waits for it.
double scalar(const DeviceArray& array);

/// Results of an evaluated batch.
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
  /// Waits for the results. Call once.
  Evaluated finish();

 private:
  data::Example batch_;
  std::vector<DeviceArray> results_;
  const std::vector<std::string>* outputs_;  // names; the state owns them
};

/// The weights, the optimizer state and the position of a run, and the compiled programs that change them.
class TrainingState {
 public:
  /// device, task: must outlive this object
  TrainingState(const Device& device, const Task& task, TrainingOptions options);

  const Task& task() const { return task_; }
  /// The process group, or null for single-process training.
  ProcessGroup* processes() const { return device_.processes(); }
  const TrainingOptions& options() const { return options_; }
  const LoadReport& load_report() const { return weights_.load_report(); }
  const Weights& weights() const { return weights_; }
  Weights& weights() { return weights_; }
  /// Number of steps made, including those before a resume.
  int64_t steps() const { return position_.step; }
  /// Mean loss of the current epoch. Checkpoints keep it, as it includes earlier steps.
  MeanLoss& epoch_loss() { return position_.epoch_loss; }
  /// Returns whether the current epoch has steps and its end was not notified; kept in checkpoints.
  bool& in_epoch() { return position_.in_epoch; }
  /// Index of the batch after that of the last step, among those of all epochs.
  int64_t batches_passed() const { return position_.step + position_.ended_epochs.omitted_steps; }
  /// Index of the batch of the next step: batches_passed(), or a higher one if the epoch was ended.
  int64_t next_batch() const { return std::max(batches_passed(), position_.ended_epochs.next_begin); }
  /// Ends the epoch of the last step.
  /// next_begin  index of the first batch of the next epoch
  void end_epoch(int64_t next_begin) { position_.ended_epochs.next_begin = next_begin; }
  /// Sets all steps of a run that has ended with fewer; 0: it has not ended, or has made all.
  void set_planned_steps(int64_t steps) { position_.ended_epochs.planned_steps = steps; }
  /// Begins the next epoch if the last one was ended.
  void omit_ended_steps();
  /// Scores from before the first step; kept in checkpoints.
  Scores& initial_scores() { return position_.initial_scores; }
  /// data::Cursor::state() of the batches, whose next batch follows the last step; kept in checkpoints. Empty if it was
  /// not set since the last step.
  std::string& data_state() { return position_.data; }

  /// See Trainer::set_checkpoint_files().
  void set_checkpoint_files(std::function<std::map<std::string, std::string>()> files) {
    checkpoint_files_ = std::move(files);
  }

  /// Sets the observer of compilations; may be nullptr.
  void set_callback(Callback* callback) { callback_ = callback; }

  /// Sets the total number of steps, if the learning rate depends on it.
  /// errors  UsageError if the resumed run had another number, unless it is finished and there are more now
  void set_schedule(int64_t total_steps);

  /// Loads the weights if they are not loaded. See Trainer::load().
  void load(const data::Example& batch);
  /// Compiles the missing programs for batches of these shapes, several at a time. Returns the number of compiled
  /// programs.
  int64_t compile(const std::vector<Signature>& steps, const std::vector<Signature>& evaluations);

  /// Progress after the started steps; waits for them.
  Progress progress() const;
  /// Sets the number of updates, by which optimizers correct their averages.
  void set_updates(int64_t updates);
  /// Number of steps without an update; 0 if set_updates() has set more updates than steps.
  int64_t skipped_steps() const { return std::max<int64_t>(0, position_.step - progress().updates); }
  /// Rewinds of the run, including those before a resume.
  const Rewinds& rewinds() const { return position_.rewinds; }
  /// Skipped steps of the run; kept in checkpoints.
  Skips& skips() { return position_.skips; }
  /// Evaluations of the run; kept in checkpoints.
  Evaluations& evaluations() { return position_.evaluations; }
  /// See Trainer::deviations().
  const std::vector<std::string>& deviations() const { return position_.deviations; }
  void add_deviation(std::string text) { position_.deviations.push_back(std::move(text)); }
  /// The checkpoint that was written last, or that this run continues; empty if there is none yet.
  const std::filesystem::path& last_checkpoint() const { return last_checkpoint_; }
  /// Restores the weights, optimizer state and progress of a checkpoint, or of the start if it is empty. The steps
  /// since then count as made.
  /// errors  those of Weights::restore, after which nothing can be saved, evaluated or trained
  void restore(const std::filesystem::path& checkpoint);
  /// Restores last_checkpoint(), or the start, after a step that has stopped training. No step may have made an update
  /// since. The batch after this step is next.
  /// errors  those of restore()
  void rewind(int64_t step);
  /// Restores the state before a step that has stopped training. No step may have made an update since.
  void restore_before(int64_t step);
  /// The first non-finite value of the next step: "\"pixel_values\" of the batch", "the weight x, before the step",
  /// "the loss", "the gradient of x". Empty if all are finite. Compiles a program. All processes of a group call it.
  std::string first_not_finite(const data::Example& batch);
  /// Returns whether all weights are finite.
  bool has_finite_weights() const { return weights_.first_not_finite().empty(); }

  /// Returns whether the weights have averages: after the first update with TrainingOptions::ema.
  bool has_averages() const;
  /// Calls `work` with the averages in the place of the weights.
  template <class Work>
  auto with_averages(const Work& work) {
    const AveragedWeights averages(weights_);
    return work();
  }

  /// Starts a step. The arrays of the batch are copied before it returns.
  /// learning_rate  see Trainer::step()
  StepResult start_step(const data::Example& batch, std::optional<double> learning_rate = {});
  /// See Trainer::gradients().
  Gradients gradients(const data::Example& batch);
  /// Starts a step with given gradients. See Trainer::apply_gradients().
  StepResult apply_gradients(const Gradients& gradients, std::optional<double> learning_rate);
  StartedEvaluation start_evaluation(data::Example batch);

  /// Both replace an existing folder atomically; see Trainer. In a process group all processes call them.
  void save(const std::filesystem::path& folder) const;
  void save_checkpoint(const std::filesystem::path& folder);

  /// Allocates the memory of copy_checkpoint() on another thread, if there is room for it and it is not allocated yet.
  /// Call it after a step, when the memory of steps is in use. In a process group all processes call it.
  void prepare_copies() { writer_.prepare_copies(); }
  /// save_checkpoint() in three parts. This one returns a checkpoint whose arrays are copies in host memory, so that
  /// training can continue while write() runs on another thread; the next call overwrites them. In a process group,
  /// where all processes call it, each one keeps the arrays that it writes, and the thread exchanges by a group of its
  /// own. Returns nothing if host memory is short in one process, or if the processes do not share the folder.
  std::optional<Checkpoint> copy_checkpoint(const std::filesystem::path& folder);
  /// May be called again after a failure.
  /// errors  those of save_checkpoint()
  void write(Checkpoint& checkpoint) const { writer_.write(checkpoint); }
  /// Makes this written checkpoint the target of rewind().
  void set_last_checkpoint(const Checkpoint& checkpoint);

  /// errors  those of Trainer::resume
  void resume(const std::filesystem::path& folder, hub::ValidCheckpoint* valid_checkpoint);
  /// The checkpoint that this run continues; empty if it continues none.
  const std::filesystem::path& resumed_from() const { return resumed_from_; }

 private:
  void plan_step(const Signature& batch, std::vector<ModelProgram>& programs);
  void plan_evaluation(const Signature& batch, std::vector<ModelProgram>& programs);
  /// Starts a step whose program and arguments have this key.
  /// inputs  arrays of the program, with the names of `signature`
  StepResult run_step(const std::string& key, const Signature& signature, std::vector<DeviceArray> inputs,
                      TokenCount tokens, std::optional<double> learning_rate);
  /// Runs a program without an update, whose arguments are those of diagnosis_program().
  std::vector<DeviceArray> run_gradients(const Program& program, const data::Example& batch, const Signature& signature,
                                         const std::vector<double>& dropout_rates);
  DeviceArray& dropout_rule_on_device(double rate);
  void require_weights(const std::filesystem::path& folder) const;
  void take_facts_of_this_run(Position& position) const;
  Checkpoint checkpoint_of_now(const std::filesystem::path& folder);

  const Device& device_;
  const Task& task_;
  const TrainingOptions options_;
  Callback* callback_ = nullptr;
  std::function<std::map<std::string, std::string>()> checkpoint_files_;
  std::filesystem::path resumed_from_, last_checkpoint_;
  int64_t kept_updates_ = 0;  // updates in the last checkpoint
  Weights weights_;
  CheckpointWriter writer_;
  Position position_;
  std::vector<DeviceArray> progress_;  // newer than position_.progress; empty before the first step
  CompiledModel programs_;
  std::map<double, DeviceArray> dropout_rules_;  // by rate
  // The arguments of a step.
  struct StepArguments {
    StepLayout layout;
    StepRates rates;
    std::vector<double> dropout_rates;
  };
  // By the keys of programs.
  std::map<std::string, StepArguments> steps_;
  std::map<std::string, std::vector<std::string>> outputs_;
  std::map<std::string, std::vector<double>> dropout_rates_;  // of the programs of gradients
};

}  // namespace portatune::train
