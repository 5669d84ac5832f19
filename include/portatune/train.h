// Training: fit(), evaluate(), predict(), or a loop of one's own over step().
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "portatune/data.h"
#include "portatune/device.h"
#include "portatune/tasks.h"

namespace portatune {

/// What becomes of a step whose loss or gradient is not finite. Its update is left out in any case.
enum class OnNonFinite {
  kStop,  ///< training ends there, with the weights that it had before
  kSkip,  ///< it goes on with the next batch, in fit() until too many are skipped (TrainingOptions::max_skipped_steps)
  /// It goes on with the next batch from the weights of the last checkpoint, or of the start: fit() leaves out what it
  /// has learnt since then, and stops after three times without an update that a checkpoint keeps. A loop of one's own
  /// stops at the first. (PaLM, Chowdhery et al. 2022, arXiv:2204.02311, section 5.1)
  kRewind
};

/// Names and defaults of transformers' TrainingArguments. All numbers are finite and not negative.
struct TrainingOptions {
  double learning_rate = 5e-5;
  std::string lr_scheduler_type = "linear";  ///< "linear": down to 0 at the last step; "constant"; both after warm-up
  int64_t warmup_steps = 0;                  ///< steps in which the rate rises from 0
  double weight_decay = 0;                   ///< of matrices; 0 is Adam
  double adam_beta1 = 0.9, adam_beta2 = 0.999;  ///< in [0, 1)
  double adam_epsilon = 1e-8;                   ///< above 0
  double max_grad_norm = 1.0;                   ///< 0: no clipping
  /// Of activations and matrix products: float32, bfloat16 or float16; with float16 the loss is scaled, by torch's rule
  /// (torch.amp.GradScaler): from 2^16, halved when the gradient overflows, doubled after 2000 updates without that.
  DType dtype = DType::kFloat32;
  /// An overflow that a smaller scale of float16's loss mends is skipped whatever this says.
  OnNonFinite on_non_finite = OnNonFinite::kStop;
  /// Of OnNonFinite::kSkip: fit() ends with a NumericError when so many steps in a row, or more than so many in all,
  /// have been skipped; those that a smaller scale of float16's loss mends do not count.
  int64_t max_skipped_in_a_row = 10;
  int64_t max_skipped_steps = 0;  ///< 0: a tenth of the steps, and at least 10
  /// Micro-batches of a step: each of its batches is worked off in so many equal parts, one after the other, and gives
  /// the update that it gives as a whole, but for what is drawn at random, anew in each part. What a step holds in
  /// memory is that of a part. Packed batches come in parts (data::PackedShapes::parts); not for next sentence
  /// prediction.
  int64_t gradient_accumulation_steps = 1;
  Remat remat = Remat::kNone;  ///< what the backward pass computes again to save memory
  uint64_t seed = 42;          ///< of dropout and of new weights
  /// Which weights may be new. Others that the checkpoint lacks are a CheckpointError when weights are loaded.
  NewWeights new_weights = NewWeights::kHead;
  int64_t total_steps = 0;     ///< where the linear decay ends; fit() works it out if it is 0
  /// What else a resumption must have in common with the run that it continues, by name: {"batch_size", "32"}, say.
  /// Kept in checkpoints, together with the options above.
  std::map<std::string, std::string> must_match = {};
  /// Names in `must_match` that a resumption may have otherwise. Trainer::deviations() tells of those that differ.
  std::vector<std::string> may_differ = {};
  /// Whether a run may be resumed where kernels, plugin, flags, instruction set, mesh or number of processes are
  /// others, which gives other bits. Trainer::deviations() tells of it.
  bool allow_different_bits = false;
  /// Text files to write beside every saved model and checkpoint: text by name.
  std::map<std::string, std::string> model_files = {};
};

/// What a step computed. Reading a number waits for the step.
class StepResult {
 public:
  struct Numbers {
    DeviceArray loss, weight, grad_norm, loss_scale;  ///< float32 scalars
  };
  StepResult(int64_t step, double learning_rate, TokenCount tokens, Numbers numbers);

  int64_t step() const { return step_; }  ///< counted from 1
  double learning_rate() const { return learning_rate_; }
  const TokenCount& tokens() const { return tokens_; }
  double loss() const;        ///< mean over the examples of the batch
  double weight() const;      ///< of these examples together: what the mean is over
  double grad_norm() const;   ///< before clipping
  double loss_scale() const;  ///< of this step, where it computes in float16; else 1
  /// Whether loss or gradient were not finite: weights and moments are as they were, and Adam does not count the step.
  bool skipped() const;
  /// Calls `done` once when the step is done (DeviceArray::on_ready).
  void on_ready(std::function<void()> done) const { numbers_.loss.on_ready(std::move(done)); }

 private:
  int64_t step_;
  double learning_rate_;
  TokenCount tokens_;
  Numbers numbers_;
};

/// How long the device had nothing to do because no batch was ready, since the epoch began.
struct InputWait {
  double waited_s = 0, elapsed_s = 0;
  std::string slowest;  ///< the stage of the pipeline that took longest (data::Dataset::named); empty: none has a name

  double share() const { return elapsed_s > 0 ? waited_s / elapsed_s : 0; }
};

/// What fit() tells while it runs. Every function has an empty default.
class Callback {
 public:
  virtual ~Callback() = default;
  /// A program for a new shape of batches is ready. `from_cache`: an earlier process had compiled it.
  virtual void on_compile([[maybe_unused]] const std::string& what, [[maybe_unused]] double seconds,
                          [[maybe_unused]] bool from_cache) {}
  /// All programs are there that fit() will need, `compiled` of them made now; the first step begins.
  virtual void on_ready([[maybe_unused]] int64_t programs, [[maybe_unused]] int64_t compiled,
                        [[maybe_unused]] double seconds) {}
  /// Before on_step().
  virtual void on_input([[maybe_unused]] const InputWait& wait) {}
  /// A step is done: the numbers of result are there without waiting.
  virtual void on_step([[maybe_unused]] const StepResult& result, [[maybe_unused]] int64_t total_steps) {}
  /// After on_step() of a step that was skipped. `rows` are those of its batch, where the data tell.
  virtual void on_skip([[maybe_unused]] const StepResult& result,
                       [[maybe_unused]] const std::vector<data::Origin>& rows) {}
  /// After on_step() of a step for which training goes back to this checkpoint; empty: to the start.
  virtual void on_rewind([[maybe_unused]] const StepResult& result,
                         [[maybe_unused]] const std::vector<data::Origin>& rows,
                         [[maybe_unused]] const std::filesystem::path& checkpoint) {}
  /// An epoch is done; `mean_loss` is that of its examples, but those of losses that were not
  /// finite; `scores` are those of the validation set, if there is one.
  virtual void on_epoch_end([[maybe_unused]] int64_t epoch, [[maybe_unused]] double mean_loss,
                            [[maybe_unused]] const Scores& scores) {}
  /// A checkpoint is whole and on disk.
  virtual void on_checkpoint([[maybe_unused]] const std::filesystem::path& folder) {}
  /// What training goes on after: a checkpoint that cannot be written, or an old one that cannot be removed.
  virtual void on_warning([[maybe_unused]] const std::string& what) {}
  /// Asked after every step, for every batch of a validation and after on_epoch_end(): true ends fit() there, without
  /// another step. Of several processes one is enough.
  virtual bool should_stop() { return false; }
};

/// Checkpoints that fit() writes while it trains, as `folder`/checkpoint-N after step N.
struct CheckpointOptions {
  std::filesystem::path folder;
  int64_t every = 0;  ///< steps; 0: none, but that before a step which ends the training (OnNonFinite::kStop). Above 0
                      ///< for OnNonFinite::kRewind
  int64_t keep = 2;   ///< the newest are kept, older ones in the folder removed, at least 1
  bool last = true;   ///< whether there is one of the last step too, from which a finished run can be trained further
};

/// What the files of a run have become while it trains.
struct ChangedData {
  std::string file;
  std::string change;  ///< "8712 bytes in place of 8448"
};

struct FitOptions {
  int64_t num_train_epochs = 3;
  int64_t steps_per_epoch = 0;  ///< the data are repeated to fill the epochs, as in Keras; 0: one pass is an epoch
  std::optional<data::Dataset> validation = {};  ///< batches to evaluate after each epoch
  CheckpointOptions checkpoints = {};
  /// Asked at the start of each epoch, before each checkpoint and after the last step for what has changed since it was
  /// asked before. A change ends fit() with a DataError, which names the checkpoint of the state before.
  std::function<std::optional<ChangedData>()> changed_data = {};
  bool use_changed_data = false;  ///< goes on after the first one, with a warning and a line in Trainer::deviations()
  Callback* callback = nullptr;
};

struct FitResult {
  int64_t steps = 0;             ///< in all, those before a resumption included
  int64_t skipped_steps = 0;     ///< of these, those without an update: see StepResult::skipped(), OnNonFinite::kRewind
  int64_t non_finite_steps = 0;  ///< of these, those that OnNonFinite::kSkip has passed over
  int64_t rewinds = 0;           ///< how often training has gone back: OnNonFinite::kRewind
  bool stopped = false;          ///< by Callback::should_stop, before the last step or the end of the last validation
  double mean_loss = 0;          ///< over the examples of the last epoch
  Scores scores;                 ///< of the last validation
  double compile_s = 0;          ///< of the programs, before the first step
};

/// That Trainer::save() may write there: found out before hours of training.
/// errors  UsageError for the working folder, and for one that holds what is no part of a model, unless it holds
///         checkpoints as well
void require_place_to_save(const std::filesystem::path& folder);

class Trainer {
 public:
  /// device, task: must outlive the trainer
  /// errors  UsageError naming the option that is out of range
  Trainer(const Device& device, const Task& task, TrainingOptions options);
  Trainer(Trainer&&) noexcept;
  ~Trainer();

  /// One update with a batch. Starts it and returns at once. The first batch of a shape waits for its program. After a
  /// step that OnNonFinite::kStop or kRewind ends, further ones change nothing, and their loss is NaN.
  /// errors  DataError if the batch lacks a column that the task needs; UsageError if the learning rate is to decay and
  ///         TrainingOptions::total_steps does not say until when
  StepResult step(const data::Example& batch);

  /// Trains on batches. After a resumption it goes on with the batch after those that were used before: by the state of
  /// the data in a checkpoint that fit() wrote or ended before (see data::Dataset::resume), else by passing over them.
  /// The first batch tells which shapes there will be (data::Example::batch_types; without them, its own): all programs
  /// are compiled before the first step, several at a time, while further batches are prepared. So do evaluate() and
  /// predict().
  /// errors  DataError for a batch of another shape: which rows, which shape. NumericError for a loss or gradient that
  ///         is not finite, by TrainingOptions::on_non_finite: which step, which rows, which tensor is the first. The
  ///         trainer is then as it was before that step, and a checkpoint of that is written if there is a folder for
  ///         them. An update that overflows in the very last step is found by the validation, or by save(). Where it
  ///         goes back (OnNonFinite::kRewind), NotFoundError and CheckpointError as resume(). Those of the data
  ///         likewise after a checkpoint of the steps made before; of several processes all throw the error of one.
  FitResult fit(const data::Dataset& batches, const FitOptions& options);

  /// "loss" and the task's metrics over all batches.
  /// errors  DataError if there is no example; NumericError if the loss or an output is not finite: which rows
  Scores evaluate(const data::Dataset& batches);

  /// Calls `take` with every batch and the outputs of the task for it, in order. Batches of data::bucket_by_length come
  /// as batches of one row each, in the order of the rows.
  /// errors  NumericError as evaluate()
  void predict(const data::Dataset& batches,
               const std::function<void(const data::Example& batch, const data::Example& outputs)>& take);

  /// Loads the weights without a step, so that load_report() and parameters() describe them. `batch` has the columns of
  /// the task; its size does not matter.
  /// errors  those of Task::initial_weights(); UsageError for a batch that the mesh cannot divide
  void load(const data::Example& batch);
  /// How the checkpoint fitted the model; empty before the first batch.
  const LoadReport& load_report() const;
  /// Names and types of the parameters; empty before the first batch.
  std::vector<std::pair<std::string, TensorType>> parameters() const;
  int64_t steps() const;

  /// Scores from before the first step, for reports of a run that was interrupted: checkpoints keep them, and resume()
  /// restores them. Empty if they were never set.
  const Scores& initial_scores() const;
  void set_initial_scores(Scores scores);

  /// What makes the result another one than that of a single run on the same data and machine; empty: nothing. Kept in
  /// checkpoints and in training_run.json.
  const std::vector<std::string>& deviations() const;

  /// Writes the model as a Hugging Face folder, which replaces an older one in one move. Checkpoints in it, and what
  /// else is in the folder of a run, are kept. The file training_run.json has the number of steps and the options.
  /// errors  IoError, or NumericError if a weight is not finite, after which the older folder is as it was; UsageError
  ///         before the first batch, which loads weights, and as require_place_to_save()
  void save(const std::filesystem::path& folder) const;
  /// As save(), and with it what resume() needs: optimizer state, step and, after fit(), where the data stand. Steps
  /// from one on that has ended the training (OnNonFinite::kStop, kRewind) do not count.
  void save_checkpoint(const std::filesystem::path& folder) const;
  /// Continues from what save_checkpoint() wrote. The task must have been made from that same folder.
  /// A run that has made all its steps can be trained further, with more of them: the schedule of the learning rate is
  /// then that of all steps together, and the steps that were made keep the rates that they had.
  /// errors  NotFoundError if the folder is a model without a training state; UsageError after the first step, or if
  ///         options differ from those of the run that it continues, where they decide about weights. So does another
  ///         number of steps, if the learning rate depends on that and the run was not finished: here, where
  ///         TrainingOptions::total_steps says how many there are, else in fit().
  void resume(const std::filesystem::path& folder);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
