// Runs and sweeps of the command as functions: options in, result out, and events on the way.
#pragma once

#include <cstdint>
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
#include "portatune/hub.h"
#include "portatune/option_fields.h"
#include "portatune/sources.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/train.h"

namespace portatune::run {

/// An option as it was given.
struct GivenOption {
  std::string name;                      ///< Name on the command line: "--max-length".
  std::string place;                     ///< Origin for errors: "fit", or the line of a recipe.
  std::vector<std::string> values = {};  ///< Its values; "true" for a flag.
  bool decides = true;                   ///< See OptionRules::decides.
};

/// The lengths that batches of texts are padded to.
struct Padding {
  enum class Kind { kMaxLength, kMultipleOf, kBuckets, kAuto, kAutoCount };
  Kind kind = Kind::kMaxLength;
  int64_t number = 0;            ///< The multiple of kMultipleOf, or the number of lengths of kAutoCount.
  std::vector<int64_t> lengths;  ///< The lengths of kBuckets.
};

/// The policy for packing several texts into a row of a training batch.
enum class PackingPolicy {
  kAutomatic,      ///< kExactExamples where the task can be packed, no padding is given, and padding is not cheaper
  kNone,           ///< one text per row
  kExactExamples,  ///< data::Packing::kExactExamples
  kTokenBudget     ///< data::Packing::kTokenBudget
};
/// kAutomatic has no name: it is the choice without the option.
constexpr auto names_of(PackingPolicy) {
  return std::to_array<NamedValue<PackingPolicy>>({{PackingPolicy::kExactExamples, "exact_examples"},
                                                   {PackingPolicy::kTokenBudget, "token_budget"},
                                                   {PackingPolicy::kNone, "none"}});
}

/// The task, the model, and how rows become examples.
struct ModelOptions {
  std::string task = "text-classification";  ///< Name of the task; empty: the task of the model.
  std::filesystem::path folder;              ///< The model folder.
  /// Values in place of those in config.json, which a saved model has, too: "hidden_dropout_prob=0.2". A value is JSON
  /// or a text. An element may have several values, with commas between them.
  std::vector<std::string> config_overrides = {};
  TaskOptions options;                      ///< Those of the task, such as options.of<MultipleChoiceOptions>().
  data::TableOptions table;                 ///< Format of the files; the task chooses the columns.
  std::shared_ptr<data::BadRows> bad_rows;  ///< Skipped rows of all datasets; null: bad rows are errors.
  std::optional<Padding> padding;           ///< None: automatic where examples vary in length.
  std::vector<int64_t> lengths;             ///< Lengths that a plan has chosen; empty: max_length alone.
  std::vector<data::LengthPair> pairs;      ///< The same for a task with targets, in place of `lengths`.
  /// The options that the user gave by name. Options of another task are errors, --max-length is not lowered to the
  /// positions of the model, and the model's portatune.json records those that evaluation needs.
  std::vector<GivenOption> given;
  /// The last checkpoint that was read and is valid. Copies of the options share it, so a run reads it once.
  std::shared_ptr<hub::ValidCheckpoint> valid_checkpoint = hub::new_valid_checkpoint();
};

/// When a run measures the validation rows while it trains.
enum class EvalStrategy {
  kNo,     ///< only before training and after it
  kSteps,  ///< every RunOptions::eval_steps steps, and after the last one
  kEpoch   ///< at the end of each epoch
};
constexpr auto names_of(EvalStrategy) {
  return std::to_array<NamedValue<EvalStrategy>>(
      {{EvalStrategy::kNo, "no"}, {EvalStrategy::kSteps, "steps"}, {EvalStrategy::kEpoch, "epoch"}});
}

/// The options of a training run. Defaults are those of the command.
struct RunOptions {
  ModelOptions model;
  std::vector<std::string> train, validation;  ///< Files of rows; of validation FILE or NAME=FILE.
  std::optional<std::string> weight_column;    ///< Empty: no weights; none: "example_weight" if the files have it.
  double validation_split = 0;                 ///< Share of the training rows that is held out; 0: none.
  int64_t shuffle_buffer = 100'000;            ///< Number of rows in the shuffle buffer.
  PackingPolicy packing = PackingPolicy::kAutomatic;
  int64_t tokens_per_batch = 0;  ///< Token budget; 0: as many tokens as about batch_size examples have.
  int64_t batch_size = 32;
  int64_t eval_batch_size = 0;  ///< 0: batch_size.
  int64_t epochs = 3;
  bool eval_on_start = true;                  ///< Whether the validation rows are measured before training, too.
  std::optional<EvalStrategy> eval_strategy;  ///< None: kSteps with eval_steps, kEpoch without.
  StepInterval eval_steps;                    ///< Steps between evaluations of kSteps.
  double eval_delay = 0;                      ///< See FitOptions::eval_delay.
  BestModelOptions best_model;
  int64_t max_train_samples = 0;  ///< Only the first training rows are used, before shuffling; 0: all.
  int64_t max_eval_samples = 0;   ///< Only the first rows of each validation set are used; 0: all.
  int64_t steps_per_epoch = 0;    ///< 0: one pass over the data.
  int64_t max_steps = 0;          ///< In place of epochs; 0: the steps of the epochs.
  TrainingOptions training;       ///< Its adapters are those of `adapter` and `lora`.
  bool adapter = false;           ///< Whether to train new adapters in place of the model's weights.
  Lora lora;                      ///< The new adapters; no targets: those of PEFT for the architecture.
  DeviceOptions device;
  std::filesystem::path output;                  ///< Folder of the model and its checkpoints.
  std::filesystem::path resume_from_checkpoint;  ///< Checkpoint to resume; empty: see `resume`.
  bool resume = false;                           ///< Whether to resume from the newest checkpoint in `output`, if any.
  bool overwrite_output = false;                 ///< Whether a model and checkpoints in `output` may be replaced.
  bool use_changed_data = false;                 ///< Whether a run continues when its files change.
  /// When checkpoints are saved. None: kSteps with checkpoint_every; after each evaluation with best_model.load_at_end;
  /// otherwise only when the run is stopped.
  std::optional<SaveStrategy> save_strategy;
  StepInterval checkpoint_every;    ///< Steps between checkpoints of SaveStrategy::kSteps.
  int64_t keep_checkpoints = 2;     ///< Number of checkpoints that are kept; 0: none of a finished run.
  StepInterval logging_steps = 10;  ///< Steps between the lines of metrics.jsonl.
  bool logging_first_step = false;  ///< Whether the first step has a line, too.
  int64_t report_examples = 10;     ///< Number of mistakes of each validation set in the report; 0: none.
  std::string command;              ///< Command line for training_args.json and the model card; empty: none.
  int64_t folds = 0;                ///< Number of folds of a cross-validation.
  std::string group_column;         ///< Rows with the same text here belong to one fold; empty: each row by itself.
  std::vector<std::string> test;    ///< Files of rows that the models of all folds predict.
  /// Maximum number of runs of a cross-validation or a sweep at the same time, on a CPU; 0: the number of cores. They
  /// are fewer if memory is short.
  int64_t max_concurrent_runs = 0;
  StopToken stop;  ///< Requests the end of this run, and of no other one.

  /// The options of `model`, `training`, `lora`, `best_model` and `device` are described by their own structs.
  void describe(OptionFields& fields);
};

/// The result of fit().
struct Outcome {
  int64_t train_examples = 0;  ///< 0: not known, as an earlier run has trained the model
  int64_t steps = 0;
  int64_t best_step = 0;       ///< See FitResult::best_step.
  int64_t model_step = 0;      ///< Step of the saved weights: `steps` or `best_step`; 0: an earlier run has saved them.
  bool stopped_early = false;  ///< Whether early stopping ended the run.
  int64_t skipped_steps = 0;   ///< Number of steps without an update, as their loss or gradient was not finite.
  int64_t rewinds = 0;         ///< Number of returns to a checkpoint, for the same reason.
  double train_loss = 0;
  double compile_seconds = 0, seconds = 0;      ///< Time of compilation, and of everything after it.
  double checkpoint_seconds = 0;                ///< Time for which periodic checkpoints delayed the next step.
  std::optional<int64_t> skipped_rows;          ///< Number of bad rows, if they may be skipped.
  std::optional<Scores> before, after;          ///< Scores of the validation rows, if there are any.
  std::vector<std::string> deviations;          ///< See Trainer::deviations().
  std::vector<std::string> failed_checkpoints;  ///< See FitResult::failed_checkpoints.
  std::filesystem::path output;
};

/// The result of cross_validate().
struct FoldOutcome {
  std::vector<Scores> folds;                       ///< Scores of each fold's rows by the model that has not seen them.
  Scores out_of_fold;                              ///< Scores of all rows, each by the model that has not seen it.
  std::filesystem::path output;                    ///< Folder of the models.
  std::vector<std::filesystem::path> predictions;  ///< Files.
};

/// The options of evaluate().
struct EvaluateOptions {
  ModelOptions model = {.task = {}};
  std::vector<std::string> data;  ///< Files of rows, FILE or NAME=FILE.
  int64_t max_eval_samples = 0;   ///< Only the first rows of each set are used; 0: all.
  int64_t batch_size = 32;        ///< Rows on each device.
  DType dtype = DType::kFloat32;
  DeviceOptions device;
  StopToken stop;  ///< Requests the end, with Stopped.
};

/// The result of evaluate().
struct Evaluation {
  Scores scores;
  int64_t examples = 0;
  double seconds = 0;                   ///< Time of the evaluation, with the compilation of its programs.
  std::optional<int64_t> skipped_rows;  ///< Number of bad rows, if they may be skipped.

  double examples_per_second() const { return seconds > 0 ? static_cast<double>(examples) / seconds : 0; }
};

/// The options of predict().
struct PredictOptions {
  ModelOptions model = {.task = {}};
  std::vector<std::string> data;    ///< Files of rows.
  std::vector<std::string> texts;   ///< Texts to predict in place of rows of files.
  int64_t max_predict_samples = 0;  ///< Only the first rows are predicted; 0: all.
  int64_t batch_size = 32;          ///< Rows on each device.
  DType dtype = DType::kFloat32;
  DeviceOptions device;
  StopToken stop;  ///< Requests the end, with Stopped.
};

/// The result of predict().
struct Prediction {
  int64_t examples = 0;
  double seconds = 0;  ///< Time of the prediction, with the compilation of its programs.

  double examples_per_second() const { return seconds > 0 ? static_cast<double>(examples) / seconds : 0; }
};

/// Receives the predictions of predict(), in the order of the rows. Of several processes only the first has one.
class PredictionSink {
 public:
  virtual ~PredictionSink() = default;
  virtual void add(const data::Example& batch, const data::Example& outputs) = 0;
  /// All rows are predicted. If the prediction fails, this is not called.
  virtual void finish() = 0;
};
/// Opens the sink before the first prediction. The task and its rows outlive it.
using OpenSink = std::function<std::unique_ptr<PredictionSink>(const RowTask& task, const data::Dataset& rows)>;

/// Counts the rows of passes over data, or the steps of runs that train at the same time.
class RowProgress {
 public:
  virtual ~RowProgress() = default;

  /// Counts rows that the pass has read.
  void add(int64_t rows);
  /// Ends the pass. The next one is expected to have as many rows.
  virtual void finish() {}
  /// Makes room on the terminal for other lines.
  virtual void hide() {}

  /// Number of rows of all passes.
  int64_t rows() const { return rows_; }

  /// The same batches, whose rows are counted as they are read. This object must outlive the pass.
  data::Dataset over(const data::Dataset& batches) &;

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
  /// Receives each step, like Callback::on_step().
  virtual void on_counted_step([[maybe_unused]] const StepResult& result, [[maybe_unused]] int64_t total_steps) {}

  int64_t skipped_at_end_ = 0;
};

struct Opening;

/// An option of a trial and its value as text: "learning-rate", "3e-5".
using TrialSetting = std::pair<std::string, std::string>;

/// One of the runs of cross_validate() or of sweep().
struct OneOfRuns {
  int64_t number = 0;                       ///< Number of the fold or of the trial, from 1.
  std::filesystem::path output;             ///< Its folder.
  std::vector<TrialSetting> settings = {};  ///< Those of a trial, with its seed.
};

/// Observer of a run. By default nothing is reported. Of several processes each has its own observer. Runs that train
/// at the same time call it from several threads, one call at a time.
class Events {
 public:
  virtual ~Events() = default;

  /// A remark.
  virtual void notice([[maybe_unused]] const std::string& text) {}
  /// A probable mistake, or a fault that does not end the run.
  virtual void warning([[maybe_unused]] const std::string& text) {}
  /// A fact about the result that no setting may hide. Only the first process reports it.
  virtual void alert([[maybe_unused]] const std::string& text) {}

  /// The run writes to the folder of this lock file; an empty path: it writes no longer.
  virtual void lock_file([[maybe_unused]] const std::filesystem::path& path) {}
  /// One of several runs begins, or continues after an earlier part.
  virtual void run_begins([[maybe_unused]] const OneOfRuns& run) {}
  /// Everything is chosen and read, and training begins.
  virtual void opening([[maybe_unused]] const Opening& opening) {}
  /// The scores of the validation rows before training.
  virtual void scores_before([[maybe_unused]] const Scores& scores) {}
  /// The scores of a run after `step`, while other runs train as well (RunOptions::max_concurrent_runs).
  /// name  of the run: "fold 2", "trial 3"
  virtual void scores_beside_others([[maybe_unused]] const std::string& name, [[maybe_unused]] int64_t step,
                                    [[maybe_unused]] const Scores& scores) {}

  /// The run was stopped on request after `step`, whose checkpoint is saved. Only the first process reports it.
  virtual void stopped([[maybe_unused]] int64_t step, [[maybe_unused]] const std::filesystem::path& checkpoint) {}
  /// The run ends before its last step, or without its model, and this checkpoint can resume it. Only the first process
  /// reports it.
  /// checkpoint  empty if the stop came before the first step of one of several runs
  /// reason      the event, such as "the model is not saved; step 8 is in out/checkpoint-8"
  virtual void resumable([[maybe_unused]] const std::filesystem::path& checkpoint,
                         [[maybe_unused]] const std::string& reason) {}
  /// The model is saved in this folder, as neither it nor a checkpoint fits into the output folder. Only the first
  /// process reports it.
  /// output  the output folder of the run
  virtual void rescued([[maybe_unused]] const std::filesystem::path& model,
                       [[maybe_unused]] const std::filesystem::path& output) {}
  /// A stop was requested after the model was saved: this validation set is not measured.
  virtual void unmeasured([[maybe_unused]] const std::string& validation_set) {}

  /// Observer of passes over data.
  /// activity  the purpose of the passes: "evaluating"
  /// unit      name of the counted elements: "rows"
  virtual std::unique_ptr<RowProgress> progress(const std::string& activity, const std::string& unit = "rows");
  /// Observer of the training of one model. Its should_stop() requests the end of the run, like RunOptions::stop. Runs
  /// that train at the same time have none.
  /// length      number of epochs and steps
  /// evaluation  observer of the validation that ends each epoch; it outlives the result
  virtual std::unique_ptr<TrainingObserver> training(const FitOptions& length, RowProgress& evaluation);
};

/// The same options with warnings to `events`, which must outlive the device.
DeviceOptions with_warnings(DeviceOptions options, Events& events);

/// Trains a model and saves it, as `portatune fit` does: the same options give the same bits.
/// callback  a further observer of the training; null: none
/// returns   nothing if the run was stopped on request; its checkpoint is saved then
/// errors    UsageError for options that exclude each other; those of the data, the device and the output folder
std::optional<Outcome> fit(const RunOptions& options, Events& events, Callback* callback = nullptr);

/// Trains a model for each fold, as `portatune fit --folds` does, and predicts the rows that it has not seen. On a CPU
/// several models train at the same time, each on its own cores; their bits are those of one after the other.
/// callback  a further observer of each training, one after the other; Events::run_begins() names its fold; null: none
/// returns   nothing if the run was stopped on request, also by the callback
/// errors    those of fit()
std::optional<FoldOutcome> cross_validate(const RunOptions& options, Events& events, Callback* callback = nullptr);

/// The scores of a model on labelled rows, as of `portatune evaluate`. EvaluateOptions::stop ends it with Stopped.
/// errors  CheckpointError for a model without trained classes; those of the data and the device
Evaluation evaluate(const EvaluateOptions& options, Events& events);

/// Predicts rows, as `portatune predict` does. PredictOptions::stop ends it with Stopped.
/// errors  UsageError for options without rows, and for texts of a task that reads other columns; those of evaluate()
Prediction predict(const PredictOptions& options, const OpenSink& open, Events& events);

/// The options of a Predictor.
struct PredictorOptions {
  ModelOptions model = {.task = {}};
  int64_t batch_size = 8;  ///< Rows that each device predicts at a time; fewer rows take as long.
  DType dtype = DType::kFloat32;
  DeviceOptions device;
};

/// A model in memory that predicts rows of the program, for services. Texts are padded to powers of two from 16 up. The
/// first prediction compiles the programs. Only one thread at a time may use it.
class Predictor {
 public:
  /// events  must outlive the predictor
  /// errors  as evaluate(); UsageError for several processes
  Predictor(const PredictorOptions& options, Events& events);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// The predictions of rows in their order: JSON objects as `portatune predict` writes them, without row numbers.
  /// rows    with the columns that the task reads
  /// errors  DataError that names the row, counted from 1
  std::vector<std::string> predict(const std::vector<data::Example>& rows);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A run of a sweep.
struct Trial {
  std::vector<TrialSetting> settings;  ///< Options in which trials differ, without the seed: a configuration.
  RunOptions options;                  ///< All options, with these settings. The sweep chooses the output folder.
};

/// The options of a sweep.
struct SweepOptions {
  /// Trials whose options differ only in `settings`, in the seed and in the command of their records.
  std::vector<Trial> trials;
  std::filesystem::path output;   ///< Folder of the trials, of their table and of the best model.
  bool resume = false;            ///< Whether to continue the sweep in `output`, if there is one.
  bool overwrite_output = false;  ///< Whether a sweep in `output` may be replaced.
  /// Successive halving: only one in so many configurations continues after each part of the training, and the first
  /// parts train fewer seeds. 0: all train to the end.
  int64_t halving_factor = 0;
  bool keep_models = false;  ///< Whether all trials keep their weights and checkpoints; only the best model otherwise.
};

/// A configuration with the results of its seeds.
struct SweepRow {
  std::vector<TrialSetting> settings;
  std::vector<std::string> trials;            ///< Names of its trials, by seed, without those that halving left out.
  std::vector<uint64_t> seeds;                ///< Their seeds.
  std::vector<std::optional<double>> scores;  ///< Score of each trial; none: it has failed.
  double mean = 0;                            ///< Mean of these scores; NaN if all trials have failed.
  double deviation = 0;                       ///< Sample standard deviation; 0 for a single score.
  int64_t steps = 0;                          ///< Number of steps of its trials: fewer if halving has ended them.
};

/// A trial that has failed.
struct FailedTrial {
  std::string name;
  std::string error;  ///< On one line.
};

/// The result of sweep().
struct SweepOutcome {
  std::string metric;             ///< The score that decides: "accuracy".
  bool greater_is_better = true;  ///< Whether a higher score is better.
  std::vector<SweepRow> rows;     ///< The configurations, the best first.
  std::string best;               ///< Name of the best trial of the best configuration; empty if all have failed.
  std::vector<FailedTrial> failed;
  std::filesystem::path output;
};

/// Name of a trial's folder in the output folder: "trial-001" is that of trial 0.
std::string trial_name(size_t trial);

/// Trains all trials, each as fit() would train it alone, to the bit: on a CPU several at the same time, each on its
/// own cores, otherwise one after the other. Trials share their rows and compiled programs where their options allow
/// it. A configuration with a higher mean score over its seeds is better, by the score of BestModelOptions. The output
/// folder gets a folder for each trial, `best` with the best model, sweep.json, sweep.csv and report.html. A trial that
/// fails, because a number is not finite or memory is short, does not end the sweep.
/// callback  a further observer of each training, one after the other; Events::run_begins() names its trial; null: none
/// returns   nothing if the sweep was stopped on request, also by the callback
/// errors    UsageError for options that exclude each other, before any training; those of fit()
std::optional<SweepOutcome> sweep(const SweepOptions& options, Events& events, Callback* callback = nullptr);

}  // namespace portatune::run
