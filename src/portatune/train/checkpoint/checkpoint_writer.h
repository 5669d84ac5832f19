// The way of models and checkpoints to their folders, of one process or of several together.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/runtime/processes/shared_directory.h"
#include "portatune/train/checkpoint/array_files.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "portatune/train/checkpoint/host_copies.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/weights.h"

namespace portatune::train {

/// A checkpoint of one step, before it is written.
struct Checkpoint {
  std::filesystem::path folder;
  Position position;
  std::vector<NamedArray> weights, slots;
  std::map<std::string, std::string> files = {};    ///< further text files by name
  bool is_copied = false;                           ///< whether the arrays are copies
  std::unique_ptr<SharedDirectory> directory = {};  ///< null: the writer creates it
};

/// Writes folders that replace existing ones atomically. In a process group all processes call each function.
class CheckpointWriter {
 public:
  /// weights          of the models and checkpoints; must outlive this object
  /// processes        null for single-process training
  /// are_seen_by_all  whether every process must see the checkpoints, for a later rewind
  CheckpointWriter(const Weights& weights, ProcessGroup* processes, bool are_seen_by_all)
      : weights_(weights), processes_(processes), are_seen_by_all_(are_seen_by_all) {}

  /// Writes the weights and the files of the model.
  /// record  history of its training; none: it is not trained
  void write_model(const std::filesystem::path& folder, const std::optional<RunRecord>& record) const;
  /// See TrainingState::write().
  void write(Checkpoint& checkpoint) const;

  /// See TrainingState::prepare_copies().
  void prepare_copies();
  /// Replaces the arrays of a checkpoint by copies in host memory, which the next call overwrites. Returns false if
  /// host memory is short in one process, or if the processes do not share the folder.
  bool copy(Checkpoint& checkpoint);

 private:
  std::unique_ptr<SharedDirectory> open_directory(const std::filesystem::path& folder, ProcessGroup* processes,
                                                  bool needs_all) const;

  const Weights& weights_;
  ProcessGroup* const processes_;
  const bool are_seen_by_all_;
  bool may_copy_ = true;                      // whether all processes can write at the same time as training
  std::shared_ptr<ProcessGroup> save_group_;  // of the thread that writes; null before the first copy
  std::optional<HostCopies> copies_;
};

}  // namespace portatune::train
