// The part of a checkpoint besides the model: optimizer state and position.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tensor.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/plateau.h"
#include "portatune/train/program/progress.h"

namespace portatune::train {

/// A mean of losses, accumulated batch by batch, each weighted by its examples.
struct MeanLoss {
  double sum = 0, weight = 0;

  void add(double loss, double examples) {
    sum += loss * examples;
    weight += examples;
  }
  double mean() const { return sum / weight; }
};

/// Number of rewinds to a checkpoint (OnNonFinite::kRewind).
struct Rewinds {
  int64_t all = 0;
  int64_t in_a_row = 0;  ///< since the last checkpoint with a new update
};

/// Number of steps that OnNonFinite::kSkip has skipped.
struct Skips {
  int64_t all = 0;
  int64_t in_a_row = 0;  ///< since the last update
};

/// The evaluations of fit(), from which the best model and early stopping follow.
struct Evaluations {
  int64_t step = 0;  ///< step of the last one; 0: none yet
  Scores scores;     ///< its scores
  int64_t best_step = 0;
  Scores best_scores;
  int64_t without_improvement = 0;  ///< number of the last ones in a row without improvement
  bool stopped_early = false;       ///< whether they have ended the run
  int64_t planned_steps = 0;        ///< all steps of a run that they have ended; else 0
  Plateau plateau = {};             ///< the state of reduce_lr_on_plateau
};

/// Training ends after this many rewinds in a row.
inline constexpr int64_t kMaxRewinds = 3;

/// Epochs that an observer has ended (StepRequests::end_epoch).
struct EndedEpochs {
  int64_t omitted_steps = 0;  ///< number of skipped steps in the epochs before the current one
  int64_t next_begin = 0;     ///< index of the first batch after the last one, among those of all epochs
  int64_t planned_steps = 0;  ///< all steps of a run that has ended with fewer; else 0

  bool operator==(const EndedEpochs&) const = default;
};

/// The position of a run in its training, and the identity of the run.
struct Position {
  int64_t step = 0;         ///< steps made
  int64_t total_steps = 0;  ///< all steps of the schedule; 0: it does not depend on them
  bool in_epoch = false;    ///< whether fit() has made steps of an epoch whose end was not notified
  MeanLoss epoch_loss;      ///< mean loss of that epoch, or of the last one whose end was notified
  EndedEpochs ended_epochs;
  Progress progress;
  Rewinds rewinds;
  Skips skips;
  Evaluations evaluations;
  RunFacts run;
  RunFacts machine;  ///< see machine_facts(); empty: not known
  /// Reasons why the result differs from that of a single run on the same data and machine: "after step 20: ...".
  std::vector<std::string> deviations;
  Scores initial_scores;  ///< from before the first step; empty: not measured
  std::string data;       ///< data::Cursor::state() of the batches after the last step; empty: not known
};

/// Adds files to a model folder during its writing: training_state.json and, if the data's state is known,
/// data_state.json.
void write_position(const std::filesystem::path& folder, const Position& position);

/// Returns whether a file of this name in a model folder belongs to a training state; the optimizer state has other
/// files.
bool is_position_file(const std::string& name);
/// Returns whether the folder is a checkpoint, valid or damaged, and not a model alone.
bool is_checkpoint(const std::filesystem::path& folder);
/// Reads the whole checkpoint and compares it with its checksums.
/// last    see hub::verify_manifest()
/// errors  NotFoundError if the folder is not a checkpoint; those of hub::verify_manifest()
void verify_checkpoint(const std::filesystem::path& folder, hub::ValidCheckpoint* last = nullptr);

/// errors  NotFoundError if the folder is a model without a training state; CheckpointError if the state is invalid
Position read_position(const std::filesystem::path& folder);

/// Stem of the files with the weights, under the parameters' names.
inline constexpr const char* kWeightsStem = "model";
/// Stem of the files with the optimizer state, under "<slot>.<parameter>": "m.classifier.bias". An optimizer without
/// slots has none.
inline constexpr const char* kOptimizerStem = "optimizer";

/// The opened array files of a checkpoint; arrays are read on request.
class SavedArrays {
 public:
  /// errors  NotFoundError if there are no files; those of io::open_tensor_files
  SavedArrays(const std::filesystem::path& folder, const char* stem);
  /// Returns a copy of an array.
  /// errors  CheckpointError if there is no array of this name, or one of another type
  Tensor read(const std::string& name, const TensorType& type) const;

 private:
  const std::vector<io::SafetensorsFile> files_;
  const std::filesystem::path listed_in_;
};

}  // namespace portatune::train
