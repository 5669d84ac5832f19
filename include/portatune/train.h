// Training: fit(), evaluate(), predict(), or a custom loop over step().
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
#include "portatune/error.h"
#include "portatune/option_fields.h"
#include "portatune/tasks.h"

namespace portatune {

/// A number of steps of a run, such as that between two events. A number below 1 is a part of all steps, as in
/// transformers.
struct StepInterval {
  double value = 0;  ///< 0: there are no such steps

  constexpr StepInterval(double value = 0) : value(value) {}  // implicit: options are set to numbers

  bool is_set() const { return value > 0; }
  bool is_part() const { return value > 0 && value < 1; }
  /// The number in a run of so many steps. A part is rounded up.
  int64_t of(int64_t total_steps) const;
  bool operator==(const StepInterval&) const = default;
};

/// The text of an interval: "500" or "0.1".
template <>
struct OptionType<StepInterval> {
  static constexpr OptionKind kKind = OptionKind::kNumber;
  static constexpr double kHighest = OptionType<int64_t>::kHighest;
  static std::vector<OptionChoice> choices() { return {}; }
  static std::string expected() { return "a number of steps, or a part of all steps below 1"; }
  static std::optional<StepInterval> read(const std::string& text);
  static std::string text(const StepInterval& interval);
};

/// The reaction to a step whose loss or gradient is not finite. The step never updates the weights.
enum class OnNonFinite {
  kStop,  ///< training stops with the weights from before the step
  kSkip,  ///< training continues with the next batch; fit() stops after TrainingOptions::max_skipped_steps
  /// Training continues with the next batch from the weights of the last checkpoint, or of the start: fit() drops what
  /// the model has learnt since then, and stops after three rewinds without an update that a checkpoint keeps. A custom
  /// loop stops at the first such step. (PaLM, Chowdhery et al. 2022, arXiv:2204.02311, section 5.1)
  kRewind
};
constexpr auto names_of(OnNonFinite) {
  return std::to_array<NamedValue<OnNonFinite>>(
      {{OnNonFinite::kStop, "stop"}, {OnNonFinite::kSkip, "skip"}, {OnNonFinite::kRewind, "rewind"}});
}

constexpr auto names_of(Remat) {
  return std::to_array<NamedValue<Remat>>({{Remat::kNone, "none"}, {Remat::kLayers, "layers"}, {Remat::kDots, "dots"}});
}

constexpr auto names_of(NewWeights) {
  return std::to_array<NamedValue<NewWeights>>(
      {{NewWeights::kNone, "none"}, {NewWeights::kHead, "head"}, {NewWeights::kAny, "any"}});
}

/// Parameters of learning rate schedules: transformers' lr_scheduler_kwargs. A schedule refuses those of others.
struct ScheduleOptions {
  std::optional<double> num_cycles;    ///< waves, 0.5 by default; of cosine_with_restarts falls to 0, 1 by default
  std::optional<double> power;         ///< exponent of polynomial, 1 by default
  std::optional<double> lr_end;        ///< last rate of polynomial, 1e-7 by default
  std::optional<double> min_lr_ratio;  ///< lowest rate as a part of learning_rate: of cosine_with_min_lr, which needs
                                       ///< it or min_lr; of warmup_stable_decay, 0 by default
  std::optional<int64_t> timescale;    ///< of inverse_sqrt; by default the warm-up steps, or 10,000 if there are none
  std::optional<int64_t> num_stable_steps;  ///< steps of warmup_stable_decay between warm-up and fall, by default all
                                            ///< but the last num_decay_steps
  std::optional<int64_t> num_decay_steps;   ///< steps in which warmup_stable_decay falls, which needs it
  std::optional<std::string> decay_type;    ///< of warmup_stable_decay: "cosine" (default), "linear" or "1-sqrt"
  // Of reduce_lr_on_plateau, with the names and defaults of torch.optim.lr_scheduler.ReduceLROnPlateau.
  std::optional<double> factor;               ///< factor of each reduction, 0.1 by default
  std::optional<int64_t> patience;            ///< evaluations without improvement before a reduction, 10 by default
  std::optional<double> threshold;            ///< smallest improvement, 1e-4 by default
  std::optional<std::string> threshold_mode;  ///< "rel" (default): a part of the best score; "abs": a difference
  std::optional<int64_t> cooldown;            ///< evaluations after a reduction that do not count, 0 by default
  std::optional<double> min_lr;               ///< lowest rate, 0 by default; also of cosine_with_min_lr
  std::optional<std::string> mode;            ///< "min" or "max"; by default as BestModelOptions::greater_is_better

  void describe(OptionFields& fields);
};

/// Parameters with a learning rate or a weight decay of their own, like a parameter group of torch.
struct ParameterGroup {
  std::string pattern;                  ///< part of their names, as in TrainingOptions::freeze
  std::optional<double> learning_rate;  ///< before the schedule, which scales it like TrainingOptions::learning_rate
  std::optional<double> weight_decay;   ///< of all these parameters, also of biases and scales of norms

  bool operator==(const ParameterGroup&) const = default;
};

/// The text of a group: "classifier: lr=0.001, weight_decay=0".
template <>
struct OptionType<ParameterGroup> {
  static constexpr OptionKind kKind = OptionKind::kTexts;
  static constexpr double kHighest = 0;
  static std::vector<OptionChoice> choices() { return {}; }
  static std::string expected();
  static std::optional<ParameterGroup> read(const std::string& text);
  static std::string text(const ParameterGroup& group);
};

/// Names and defaults of transformers' TrainingArguments. describe() has the ranges.
struct TrainingOptions {
  double learning_rate = 5e-5;
  /// The learning rate over the steps after warm-up: linear, cosine, cosine_with_restarts, cosine_with_min_lr,
  /// polynomial, constant_with_warmup, inverse_sqrt, warmup_stable_decay, or constant and reduce_lr_on_plateau, which
  /// have no warm-up. reduce_lr_on_plateau reduces the rate when the score of BestModelOptions::metric stops improving.
  std::string lr_scheduler_type = "linear";
  StepInterval warmup_steps;  ///< steps in which the learning rate rises from 0
  double warmup_ratio = 0;    ///< the same as a part of all steps, rounded up; below 1
  ScheduleOptions schedule = {};
  double weight_decay = 0;  ///< of matrices only
  /// Parameters with values of their own. If several groups match a parameter, the last one that gives a value counts.
  std::vector<ParameterGroup> param_groups = {};
  /// Layer-wise decay of the learning rate: layer i of n has the factor layer_decay^(n - i), i from 0, the embeddings
  /// layer_decay^(n + 1), the head 1. 1: all have one rate. (BEiT, Bao et al. 2021, arXiv:2106.08254)
  double layer_decay = 1;
  /// Decay of an exponential moving average of the trained weights, such as 0.999; 0: none. The first update sets it.
  double ema = 0;
  /// AdamW ("adamw_torch"), "adam", "lamb", "lion", "adafactor", "sgd" or "rmsprop".
  std::string optim = "adamw_torch";
  double adam_beta1 = 0.9, adam_beta2 = 0.999;  ///< of AdamW, Adam, LAMB and Lion, in [0, 1)
  double adam_epsilon = 1e-8;                   ///< of AdamW, Adam, LAMB and RMSprop, above 0
  double momentum = 0;                          ///< of SGD and RMSprop, in [0, 1)
  bool nesterov = false;                        ///< whether SGD has Nesterov momentum
  double rmsprop_alpha = 0.99;                  ///< decay of the means of RMSprop, in [0, 1)
  bool rmsprop_centered = false;                ///< whether RMSprop subtracts the mean of the gradients
  double max_grad_norm = 1.0;                   ///< maximum of the norm of the gradient; 0: no clipping
  double max_grad_value = 0;  ///< maximum of each element of the gradient after that, by its size; 0: no clipping
  /// Type of activations and matrix products: float32, bfloat16 or float16. With float16 the loss is scaled by torch's
  /// rule (torch.amp.GradScaler): from 2^16, halved when the gradient overflows, doubled after 2000 updates without
  /// overflow.
  DType dtype = DType::kFloat32;
  /// The reaction to a non-finite step. An overflow that a smaller loss scale of float16 avoids is always skipped.
  OnNonFinite on_non_finite = OnNonFinite::kStop;
  /// Limits of OnNonFinite::kSkip: fit() throws a NumericError after this many skipped steps in a row, or after more
  /// than this many in total. Steps that a smaller loss scale of float16 repairs do not count.
  int64_t max_skipped_in_a_row = 10;
  int64_t max_skipped_steps = 0;  ///< 0: a tenth of the steps, at least 10
  /// Micro-batches of a step: each batch is divided into this many equal parts, which are processed one after the
  /// other. The update equals that of the whole batch, except for random draws such as dropout, which differ in each
  /// part. A step needs the memory of one part. Packed batches arrive in parts (data::PackedShapes::parts). Not
  /// supported for next sentence prediction.
  int64_t gradient_accumulation_steps = 1;
  Remat remat = Remat::kNone;  ///< activations that the backward pass computes again to save memory
  uint64_t seed = 42;          ///< seed of dropout and of new weights
  /// Weights that may be new. Loading throws a CheckpointError if the checkpoint lacks any other.
  NewWeights new_weights = NewWeights::kHead;
  /// Training from scratch: all weights start from their initializer. Those of the model folder, which may have none,
  /// are not read.
  bool from_config = false;
  /// Parameters that keep their weights, as parts of their names: "embeddings", or "encoder.layer.0-5" for six layers.
  /// A frozen parameter has no gradient and no optimizer state.
  std::vector<std::string> freeze = {};
  /// Adapters in place of the model's weights. Saved folders then hold the adapter alone, as PEFT writes it, with the
  /// name of the model that it belongs to.
  std::optional<Lora> lora = {};
  int64_t total_steps = 0;  ///< all steps, by which most schedules compute the learning rate; 0: fit() computes them
  /// Further values that a resumed run must share with the run that it continues, by name: {"batch_size", "32"}, say.
  /// Checkpoints keep them together with the options above.
  std::map<std::string, std::string> must_match = {};
  /// Names in `must_match` whose values may change on resume. Trainer::deviations() lists the changed ones.
  std::vector<std::string> may_differ = {};
  /// True if a run may resume with other kernels, plugin, flags, instruction set, mesh or number of processes, which
  /// changes the bits of the result. Trainer::deviations() lists the change.
  bool allow_different_bits = false;
  /// Text files to write into every saved model and checkpoint: text by file name.
  std::map<std::string, std::string> model_files = {};

  void describe(OptionFields& fields);
};

/// Numbers that a step computed. Reading a number waits for the step.
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
  double weight() const;      ///< sum of the examples' weights, the denominator of the mean
  double grad_norm() const;   ///< before clipping
  double loss_scale() const;  ///< loss scale of this step in float16; otherwise 1
  /// Returns whether loss or gradient were not finite. Weights and optimizer state are then unchanged, and the
  /// optimizer does not count the step.
  bool skipped() const;
  /// Calls `done` once when the step is done (DeviceArray::on_ready).
  void on_ready(std::function<void()> done) const { numbers_.loss.on_ready(std::move(done)); }

 private:
  int64_t step_;
  double learning_rate_;
  TokenCount tokens_;
  Numbers numbers_;
};

/// Time since the start of the epoch in which the device was idle because no batch was ready.
struct InputWait {
  double waited_s = 0, elapsed_s = 0;
  std::string slowest;  ///< name of the slowest stage (data::Dataset::named); empty: no stage has a name

  double share() const { return elapsed_s > 0 ? waited_s / elapsed_s : 0; }
};

/// What an observer asks fit() to do after a step, beside what the options say.
struct StepRequests {
  bool log = false;       ///< a record of the steps since the last one: Callback::on_log_request()
  bool evaluate = false;  ///< an evaluation, unless the step has one
  bool save = false;      ///< a checkpoint, which is complete before the next step
  /// The end of the epoch. The next step has the first batch of the next epoch; after the last epoch the run ends.
  bool end_epoch = false;
};

/// What fit() knows before its first step.
struct FitBegin {
  int64_t steps = 0;        ///< number of completed steps, of an earlier call or of the run that is resumed
  int64_t total_steps = 0;  ///< number of steps at the end
  int64_t steps_per_epoch = 0;
  int64_t omitted_steps = 0;   ///< number of steps that epochs lack because an observer has ended them
  std::string deciding_score;  ///< the score that chooses the best model; empty without validation rows
  bool greater_is_better = false;
};

/// Observer of fit(). Every function has an empty default.
class Callback {
 public:
  virtual ~Callback() = default;
  /// Called first.
  virtual void on_begin([[maybe_unused]] const FitBegin& begin) {}
  /// A program for a new batch shape is ready. `from_cache`: an earlier process had compiled it.
  virtual void on_compile([[maybe_unused]] const std::string& what, [[maybe_unused]] double seconds,
                          [[maybe_unused]] bool from_cache) {}
  /// All programs that fit() needs are ready, `compiled` of them compiled now; the first step follows.
  virtual void on_ready([[maybe_unused]] int64_t programs, [[maybe_unused]] int64_t compiled,
                        [[maybe_unused]] double seconds) {}
  /// Reports the wait for input; called before on_step().
  virtual void on_input([[maybe_unused]] const InputWait& wait) {}
  /// A step is done: reading the numbers of `result` does not wait.
  virtual void on_step([[maybe_unused]] const StepResult& result, [[maybe_unused]] int64_t total_steps) {}
  /// Called after on_step() for a skipped step. `rows` are those of its batch, if the data have origins.
  virtual void on_skip([[maybe_unused]] const StepResult& result,
                       [[maybe_unused]] const std::vector<data::Origin>& rows) {}
  /// Called after on_step() for a step that causes a rewind to `checkpoint`; empty: to the start.
  virtual void on_rewind([[maybe_unused]] const StepResult& result,
                         [[maybe_unused]] const std::vector<data::Origin>& rows,
                         [[maybe_unused]] const std::filesystem::path& checkpoint) {}
  /// The validation data are measured after `step`; before on_epoch_end(). `epoch` is the number of epochs so far, with
  /// a fraction within an epoch.
  virtual void on_evaluation([[maybe_unused]] int64_t step, [[maybe_unused]] double epoch,
                             [[maybe_unused]] const Scores& scores) {}
  /// An epoch is done, or an observer or FitOptions::max_steps ends it. `epoch` is the number of epochs so far;
  /// `mean_loss` is the mean over the examples of this one without non-finite losses; `scores` are those of the
  /// evaluation after its last step, if there was one.
  virtual void on_epoch_end([[maybe_unused]] double epoch, [[maybe_unused]] double mean_loss,
                            [[maybe_unused]] const Scores& scores) {}
  /// A checkpoint is complete and on disk. Training continues during the write, so this comes some steps after its
  /// step.
  virtual void on_checkpoint([[maybe_unused]] const std::filesystem::path& folder) {}
  /// A problem that does not stop training: a checkpoint that cannot be written, or an old one that cannot be removed.
  virtual void on_warning([[maybe_unused]] const std::string& what) {}
  /// An observer has asked for a record of the last steps.
  virtual void on_log_request() {}
  /// Called after on_step(), on_evaluation() and on_epoch_end(). Requests concern the last started step, which is the
  /// one of on_step() if waits_for_steps(). All of several processes must ask for the same.
  virtual StepRequests requests() { return {}; }
  /// Whether fit() ends each step, with its on_step(), before it starts the next one. The device is idle meanwhile.
  virtual bool waits_for_steps() { return false; }
  /// Called after every step, for every batch of a validation and after on_epoch_end(). True stops fit() without
  /// another step. With several processes, one true is enough.
  virtual bool should_stop() { return false; }
};

/// The steps after which fit() writes a checkpoint, with the names of transformers.
enum class SaveStrategy {
  kNo,     ///< only the one before a step that stops training (OnNonFinite::kStop)
  kSteps,  ///< every CheckpointOptions::every steps
  kEpoch,  ///< at the end of each epoch
  kBest    ///< after each evaluation that is the best so far (BestModelOptions)
};
constexpr auto names_of(SaveStrategy) {
  return std::to_array<NamedValue<SaveStrategy>>({{SaveStrategy::kNo, "no"},
                                                  {SaveStrategy::kSteps, "steps"},
                                                  {SaveStrategy::kEpoch, "epoch"},
                                                  {SaveStrategy::kBest, "best"}});
}

/// Checkpoints that fit() writes while it trains, as `folder`/checkpoint-N after step N and its evaluation. fit()
/// copies the state in host memory, if there is room for it, and another thread writes the copy. Each of several
/// processes copies and writes its part. A save waits for the previous one. fit() returns when all saves are complete,
/// also after a failed step.
struct CheckpointOptions {
  std::filesystem::path folder;
  SaveStrategy strategy = SaveStrategy::kSteps;  ///< OnNonFinite::kRewind needs one that saves
  int64_t every = 0;                             ///< steps, of kSteps; 0: as kNo
  int64_t keep = 2;  ///< number of checkpoints to keep in the folder: the newest and the best; at least 1
  bool last = true;  ///< whether the last step writes a checkpoint too, so that a finished run can be trained further
};

/// Data that fit() evaluates.
struct EvaluationSet {
  data::Dataset batches;
  std::string name = {};  ///< the scores are called NAME_loss, NAME_accuracy and so on; empty: loss, accuracy
  /// Receives each batch of an evaluation with the outputs of the task for it; null: nothing does.
  std::function<void(const data::Example& batch, const data::Example& outputs)> observer = {};
};

/// The choice of the best model among those that fit() evaluates, and early stopping, by the rules of transformers
/// (Trainer, EarlyStoppingCallback).
struct BestModelOptions {
  /// The deciding score, also with "eval_" before its name: "accuracy", or "matched_accuracy" of the set "matched".
  /// Empty: the loss of the first set, if anything depends on the choice.
  std::string metric = {};
  std::optional<bool> greater_is_better = {};  ///< none: true but for losses and errors, such as "mse"
  /// Whether fit() restores the weights of the best evaluation at its end. It then saves each best model.
  bool load_at_end = false;
  int64_t early_stopping_patience = 0;  ///< evaluations in a row without improvement that end training; 0: never
  double early_stopping_threshold = 0;  ///< a larger difference from the best score is an improvement

  void describe(OptionFields& fields);
};

struct FitOptions {
  int64_t num_train_epochs = 3;
  int64_t steps_per_epoch = 0;  ///< the data repeat to fill the epochs, as in Keras; 0: an epoch is one pass
  int64_t max_steps = 0;  ///< number of steps in place of num_train_epochs; the last epoch may be shorter; 0: none
  std::vector<EvaluationSet> validation = {};  ///< sets that each evaluation measures
  /// Steps between evaluations, of which the last step has one; 0: one at the end of each epoch.
  int64_t eval_steps = 0;
  double eval_delay = 0;              ///< no evaluation before so many epochs, or steps with eval_steps
  bool eval_on_request_only = false;  ///< no evaluation but those of Callback::requests()
  BestModelOptions best_model = {};
  CheckpointOptions checkpoints = {};
  /// Returns the first change since the previous call; called at the start of each epoch, before each checkpoint and
  /// after the last step. A change ends fit() with a DataError that names the checkpoint from before the change.
  std::function<std::optional<ChangedData>()> changed_data = {};
  bool use_changed_data = false;  ///< continue after a change, with a warning and a line in Trainer::deviations()
  Callback* callback = nullptr;
  /// Ends fit() like Callback::should_stop(); a single process also ends its waits for data. A stop before the first
  /// step throws Stopped.
  StopToken stop = {};
};

struct FitResult {
  int64_t steps = 0;             ///< total number of steps, including those before a resume
  int64_t skipped_steps = 0;     ///< number of steps without an update: StepResult::skipped(), OnNonFinite::kRewind
  int64_t non_finite_steps = 0;  ///< number of steps that OnNonFinite::kSkip has skipped
  int64_t rewinds = 0;           ///< number of rewinds: OnNonFinite::kRewind
  bool stopped = false;          ///< whether a stop request ended the run before the last step or validation
  bool stopped_early = false;    ///< whether BestModelOptions::early_stopping_patience ended the run
  double mean_loss = 0;          ///< mean over the examples of the last epoch
  int64_t best_step = 0;         ///< step of the best evaluation; 0: there is none, or no score decides
  int64_t model_step = 0;        ///< step of the weights: `steps`, or `best_step` with BestModelOptions::load_at_end
  Scores scores;                 ///< scores of these weights by their evaluation; empty: there was none
  double compile_s = 0;          ///< seconds of compilation before the first step
  double checkpoint_s = 0;       ///< seconds for which periodic checkpoints delayed the next step
  std::vector<std::string> failed_checkpoints;  ///< warnings about checkpoints that could not be written
};

/// The gradients of a batch.
struct Gradients {
  double loss = 0;  ///< mean over the examples of the batch
  /// Gradient of this loss, before clipping, by the names of the trained parameters.
  std::vector<std::pair<std::string, Tensor>> by_parameter;
};

/// Throws unless Trainer::save() may write to `folder`. Call it before hours of training.
/// errors  UsageError for the working folder, and for a folder with files that are not part of a model, unless it holds
///         checkpoints as well
void require_place_to_save(const std::filesystem::path& folder);

class Trainer {
 public:
  /// device, task: must outlive the trainer
  /// errors  UsageError naming the option that is out of range
  Trainer(const Device& device, const Task& task, TrainingOptions options);
  Trainer(const Device&&, const Task&, TrainingOptions) = delete;
  Trainer(const Device&, const Task&&, TrainingOptions) = delete;
  Trainer(const Device&&, const Task&&, TrainingOptions) = delete;
  Trainer(Trainer&&) noexcept;
  ~Trainer();

  /// Makes one update with a batch. Returns as soon as the update has started. The first batch of a shape waits for its
  /// program. After OnNonFinite::kStop or kRewind has stopped training, further steps change nothing and have loss NaN.
  /// learning_rate  rate of this step in place of that of the schedule, which scales the rates of parameter groups and
  ///                layers by the same factor; none: that of the schedule
  /// errors  DataError if the batch lacks a column that the task needs; UsageError for a learning rate that is negative
  ///         or not finite, or for a rate that decays if TrainingOptions::total_steps is 0 and `learning_rate` is not
  ///         given
  StepResult step(const data::Example& batch, std::optional<double> learning_rate = {});
  /// Computes the gradients that the next step would have for a batch, with its random draws, and changes nothing.
  /// errors  those of step() for the batch
  Gradients gradients(const data::Example& batch);
  /// Makes one update with gradients, those of gradients() or others, as step() does after it has computed its own:
  /// clipping, optimizer, learning rate and the count of steps. So apply_gradients(gradients(batch)) equals
  /// step(batch): to the bit if the sum of the examples' weights is a power of two and the compiler chooses the same
  /// order of sums, otherwise except for rounding. Gradients or a loss that are not finite skip the update as in
  /// step(). One program serves all batches. The result has the loss of `gradients`, no tokens, and the weight 1. In a
  /// process group all processes call it with the same gradients.
  /// learning_rate  see step()
  /// errors  UsageError before the first batch, which loads the weights, and for a name that is missing, unknown or
  ///         given twice; ShapeError for an array of another type than its parameter; DataError if the processes of a
  ///         group have different gradients; those of step() for the learning rate
  StepResult apply_gradients(const Gradients& gradients, std::optional<double> learning_rate = {});

  /// Trains on batches. After resume() it continues with the batch after the last used one: it restores the state of
  /// the data from a checkpoint that fit() wrote (see data::Dataset::resume), or else skips the used batches.
  /// The first batch declares the shapes of all batches (data::Example::batch_types; by default its own). All programs
  /// are compiled before the first step, several at a time, while further batches are prepared. evaluate() and
  /// predict() do the same.
  /// errors  DataError for a batch of another shape: which rows, which shape. NumericError for a non-finite loss or
  ///         gradient, as TrainingOptions::on_non_finite says: which step, which rows, which tensor was the first. The
  ///         trainer is then as it was before that step, and saves a checkpoint of this state if it has a folder for
  ///         checkpoints. The validation, or save(), finds an update that overflows in the very last step. A rewind
  ///         (OnNonFinite::kRewind) throws the NotFoundError and CheckpointError of resume(). Errors of the data
  ///         follow a checkpoint of the completed steps. In a process group every process throws the error of one.
  FitResult fit(const data::Dataset& batches, const FitOptions& options);

  /// Returns "loss" and the task's metrics over all batches.
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
  /// The match between checkpoint and model; empty before the first batch.
  const LoadReport& load_report() const;
  /// Names and types of the parameters; empty before the first batch.
  std::vector<std::pair<std::string, TensorType>> parameters() const;
  int64_t steps() const;
  /// Number of steps that epochs lack because a Callback has ended them.
  int64_t omitted_steps() const;
  /// Index of the batch of the next step among the batches of all epochs.
  int64_t next_batch() const;

  // Weights and optimizer state as arrays in host memory. In a process group all processes call these functions.

  /// A copy of a parameter, after the started steps.
  /// errors  UsageError for an unknown name
  Tensor weight(const std::string& name) const;
  /// Replaces a parameter.
  /// errors  UsageError for an unknown name, ShapeError for an array of another type
  void set_weight(const std::string& name, Tensor value);
  /// Names and types of the optimizer's arrays: "m.classifier.weight". Empty before the first batch.
  std::vector<std::pair<std::string, TensorType>> optimizer_state() const;
  /// A copy of such an array; zeros before the first step.
  /// errors  those of weight()
  Tensor optimizer_array(const std::string& name);
  /// errors  those of set_weight()
  void set_optimizer_array(const std::string& name, Tensor value);
  /// Number of updates so far, by which optimizers correct their averages: steps() without the skipped ones.
  int64_t updates() const;
  void set_updates(int64_t updates);  ///< errors: UsageError for a negative number, or one of more than 31 bits

  /// Step of the best evaluation so far; 0: there is none, or no score decides.
  int64_t best_step() const;

  /// Scores from before the first step, for reports of a run that was interrupted: checkpoints keep them, and resume()
  /// restores them. Empty if they were never set.
  const Scores& initial_scores() const;
  void set_initial_scores(Scores scores);

  /// Reasons why the result differs from that of a single run on the same data and machine; empty: there are none.
  /// Checkpoints and training_run.json keep them.
  const std::vector<std::string>& deviations() const;

  /// Writes the model as a Hugging Face folder, which replaces an older one atomically. Checkpoints and other files of
  /// a run in the folder are kept. The file training_run.json has the number of steps and the options.
  /// errors  IoError, or NumericError if a weight is not finite; both leave the older folder unchanged. UsageError
  ///         before the first batch, which loads the weights, and for the folders of require_place_to_save()
  void save(const std::filesystem::path& folder) const;
  /// Returns whether there are averaged weights: with TrainingOptions::ema, after the first update.
  bool has_average() const;
  /// The same with the averaged weights.
  /// errors  those of save(); UsageError without averaged weights
  void save_average(const std::filesystem::path& folder);
  /// Sets a function that returns further text files of each checkpoint, by file name. It is called when the state is
  /// copied, between two steps, and must be valid as long as checkpoints are saved. Null: none.
  void set_checkpoint_files(std::function<std::map<std::string, std::string>()> files);
  /// Writes what save() writes and what resume() needs: optimizer state, step and, after fit(), the position in the
  /// data. Steps from a non-finite one on that stopped training (OnNonFinite::kStop, kRewind) do not count.
  void save_checkpoint(const std::filesystem::path& folder) const;
  /// Continues from a folder that save_checkpoint() wrote, and verifies its checksums. The task must have been made
  /// from that same folder.
  /// A run that has made all its steps can be trained further with a larger number of steps: the learning rate schedule
  /// is then that of all steps together, and past steps keep the rates that they had.
  /// valid_checkpoint  a checkpoint that need not be verified again; null: none
  /// errors  NotFoundError if the folder is a model without a training state; CheckpointError, which names the file, if
  ///         one is missing, damaged or has no checksum; UsageError after the first step, or if
  ///         options that decide about the weights differ from those of the original run. The same error follows for
  ///         another number of steps if the learning rate depends on it and the run was not finished: here, if
  ///         TrainingOptions::total_steps is set, otherwise in fit().
  void resume(const std::filesystem::path& folder, hub::ValidCheckpoint* valid_checkpoint = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
