// Runs of the command as functions: options in, result out, and events on the way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/bad_rows.h"
#include "portatune/data.h"
#include "portatune/device.h"
#include "portatune/image_classification.h"
#include "portatune/language_models.h"
#include "portatune/multiple_choice.h"
#include "portatune/question_answering.h"
#include "portatune/sources.h"
#include "portatune/text_classification.h"
#include "portatune/token_classification.h"
#include "portatune/train.h"

namespace portatune::run {

/// An option as it was given.
struct GivenOption {
  std::string name, place;               ///< "--max-length", and "fit" or the line of a recipe
  std::vector<std::string> values = {};  ///< "true" for a flag
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

/// The task, the model, and how rows become examples.
struct ModelOptions {
  std::string task = "text-classification";  ///< empty: the task of the model
  std::filesystem::path folder;              ///< folder of the model
  TextClassificationOptions options;         ///< its columns and max_length are those of every task
  MaskedLmOptions masked_lm;
  InstructionOptions instructions;  ///< if columns are set, causal-lm learns from instruction data
  std::string tokens_column = TokenClassificationOptions{}.tokens_column;
  std::string tags_column = TokenClassificationOptions{}.tags_column;
  QuestionAnsweringOptions question_answering;
  MultipleChoiceOptions multiple_choice;
  ImageClassificationOptions images;                   ///< its label column and labels are not used
  std::map<std::string, std::string> options_of_task;  ///< options of a task that CommandTask has added
  data::TableOptions table;                            ///< how files are read; the task chooses the columns
  std::shared_ptr<data::BadRows> bad_rows;             ///< collects skipped rows of all datasets; null: they are errors
  std::optional<Padding> padding;                      ///< none: automatic where examples vary in length
  std::vector<int64_t> lengths;                        ///< lengths of batches, chosen by a plan; empty: the task's own
  /// The options that the user gave. Options of another task are errors, --max-length is not lowered to the positions
  /// of the model, and the model's portatune.json records those that evaluation needs.
  std::vector<GivenOption> given;
};

/// The options of a training run. Defaults are those of the command.
struct RunOptions {
  ModelOptions model;
  std::vector<std::string> train, validation;  ///< files; for validation, FILE or NAME=FILE
  std::optional<std::string> weight_column;    ///< empty: no weights; none: "example_weight" where the files have it
  double validation_split = 0;                 ///< share of the training rows that is held out; 0: none
  int64_t shuffle_buffer = 100'000;            ///< number of rows
  PackingPolicy packing = PackingPolicy::kAutomatic;
  int64_t tokens_per_batch = 0;  ///< token budget; 0: a budget for about batch_size examples
  int64_t batch_size = 32;
  int64_t eval_batch_size = 0;  ///< 0: batch_size
  int64_t epochs = 3;
  bool eval_on_start = true;    ///< whether the validation rows are measured before training, too
  int64_t steps_per_epoch = 0;  ///< 0: one pass over the data
  int64_t max_steps = 0;        ///< 0: those of the epochs
  TrainingOptions training;
  DeviceOptions device;
  std::filesystem::path output;                  ///< folder of the model and its checkpoints
  std::filesystem::path resume_from_checkpoint;  ///< empty: see `resume`
  bool resume = false;                           ///< whether to resume the newest checkpoint in `output`, if any
  bool overwrite_output = false;                 ///< whether a model and checkpoints in `output` may be replaced
  bool use_changed_data = false;                 ///< whether a run continues when its files change
  int64_t checkpoint_every = 0;                  ///< number of steps; 0: a checkpoint only when the run is stopped
  int64_t keep_checkpoints = 2;                  ///< number of checkpoints; 0: none after a finished run
  int64_t folds = 0;                             ///< number of folds of a cross-validation
  std::string group_column;       ///< rows with the same text here belong to one fold; empty: each row by itself
  std::vector<std::string> test;  ///< files with rows that the models of all folds predict
};

/// The result of fit().
struct Outcome {
  int64_t train_examples = 0;
  int64_t steps = 0;
  int64_t skipped_steps = 0;  ///< Number of steps without an update, as their loss or gradient was not finite.
  int64_t rewinds = 0;        ///< Number of returns to a checkpoint, for the same reason.
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

  /// The same batches, whose rows are counted as they are read. This object must outlive the pass.
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
  /// Receives each step, like Callback::on_step().
  virtual void on_counted_step([[maybe_unused]] const StepResult& result, [[maybe_unused]] int64_t total_steps) {}

  int64_t skipped_at_end_ = 0;
};

struct Opening;

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

  /// The run writes to the folder of this lock file; an empty path: it writes no longer.
  virtual void lock_file([[maybe_unused]] const std::filesystem::path& path) {}
  /// Everything is chosen and read, and training begins.
  virtual void opening([[maybe_unused]] const Opening& opening) {}
  /// The scores of the validation rows before training.
  virtual void scores_before([[maybe_unused]] const Scores& scores) {}

  /// The run was stopped on request after `step`, whose checkpoint is saved. Only the first process reports it.
  virtual void stopped([[maybe_unused]] int64_t step, [[maybe_unused]] const std::filesystem::path& checkpoint) {}
  /// The run ends before its last step, or without its model, and this checkpoint can resume it. Only the first process
  /// reports it.
  /// reason  the event, such as "the model is not saved; step 8 is in out/checkpoint-8"
  virtual void resumable([[maybe_unused]] const std::filesystem::path& checkpoint,
                         [[maybe_unused]] const std::string& reason) {}
  /// The model is saved in this folder, as neither it nor a checkpoint fits into the output folder. Only the first
  /// process reports it.
  virtual void rescued([[maybe_unused]] const std::filesystem::path& model) {}
  /// A stop was requested after the model was saved: this validation set is not measured.
  virtual void unmeasured([[maybe_unused]] const std::string& validation_set) {}

  /// Observer of passes over data.
  /// activity  the purpose of the passes: "evaluating"
  virtual std::unique_ptr<RowProgress> progress(const std::string& activity);
  /// Observer of the training of one model. Its should_stop() requests the end of the run.
  /// evaluation  observer of the validation that ends each epoch; it outlives the result
  virtual std::unique_ptr<TrainingObserver> training(int64_t epochs, RowProgress& evaluation);
};

/// The same options with warnings to `events`, which must outlive the device.
DeviceOptions with_warnings(DeviceOptions options, Events& events);

/// Trains a model and saves it, as `portatune fit` does: the same options give the same bits.
/// returns  nothing if the run was stopped on request; its checkpoint is saved then
/// errors   UsageError for options that exclude each other; those of the data, the device and the output folder
std::optional<Outcome> fit(const RunOptions& options, Events& events);

/// Trains a model for each fold, as `portatune fit --folds` does, and predicts the rows that it has not seen.
/// returns  nothing if the run was stopped on request
/// errors   those of fit()
std::optional<FoldOutcome> cross_validate(const RunOptions& options, Events& events);

}  // namespace portatune::run
