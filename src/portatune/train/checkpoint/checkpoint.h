// What a run needs to go on, besides the model: optimizer state and position.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tensor.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/progress.h"

namespace portatune::train {

/// A mean of losses that is gathered batch by batch, each weighted by its examples.
struct MeanLoss {
  double sum = 0, weight = 0;

  void add(double loss, double examples) {
    sum += loss * examples;
    weight += examples;
  }
  double mean() const { return sum / weight; }
};

/// How often training has gone back to a checkpoint (OnNonFinite::kRewind).
struct Rewinds {
  int64_t all = 0;
  int64_t in_a_row = 0;  ///< since the last checkpoint that has kept an update
};

/// Steps that OnNonFinite::kSkip has passed over.
struct Skips {
  int64_t all = 0;
  int64_t in_a_row = 0;  ///< since the last update
};

/// After so many in a row training ends.
inline constexpr int64_t kMaxRewinds = 3;

/// Where a run stands, and which run it is.
struct Position {
  int64_t step = 0;         ///< steps made
  int64_t total_steps = 0;  ///< after which the learning rate is 0; 0: it does not fall
  bool in_epoch = false;    ///< whether fit() has made steps of an epoch whose end has not been told
  MeanLoss epoch_loss;      ///< of that epoch, or of the last one whose end was notified
  Progress progress;
  Rewinds rewinds;
  Skips skips;
  RunFacts run;
  RunFacts machine;  ///< see machine_facts(); empty: not known
  /// What makes the result another one than that of a single run on the same data and machine: "after step 20: ...".
  std::vector<std::string> deviations;
  Scores initial_scores;  ///< from before the first step; empty: not measured
  std::string data;       ///< data::Cursor::state() of the batches after the last step; empty: not known
};

/// Adds files to a model folder that is being written: trainer_state.json and, where the data's state is known,
/// data_state.json.
void write_position(const std::filesystem::path& folder, const Position& position);

/// Whether a file of this name in a model folder is of a training state; the moments are another.
bool is_position_file(const std::string& name);
/// Whether the folder is a checkpoint, valid or damaged, and not a model alone.
bool is_checkpoint(const std::filesystem::path& folder);
/// Reads the whole checkpoint, and compares it with its checksums.
/// errors  NotFoundError if the folder is no checkpoint; those of verify_manifest()
void verify_checkpoint(const std::filesystem::path& folder);

/// errors  NotFoundError if the folder is a model without a training state; CheckpointError if the state makes no sense
Position read_position(const std::filesystem::path& folder);

/// Of the files of a checkpoint that hold arrays: the weights under the parameters' names, and
inline constexpr const char* kWeightsStem = "model";
/// the first and second moments under "m.<parameter>" and "v.<parameter>".
inline constexpr const char* kMomentsStem = "optimizer";

/// Such files, opened; arrays are read when they are asked for.
class SavedArrays {
 public:
  /// errors  NotFoundError if there are none; those of io::open_tensor_files
  SavedArrays(const std::filesystem::path& folder, const char* stem);
  /// A copy.
  /// errors  CheckpointError if there is none of this name, or one of another type
  Tensor read(const std::string& name, const TensorType& type) const;

 private:
  const std::vector<io::SafetensorsFile> files_;
  const std::filesystem::path listed_in_;
};

}  // namespace portatune::train
