// The checkpoints of a run: folders checkpoint-N beside each other, N being the step after which it was saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace portatune::train {

std::filesystem::path checkpoint_path(const std::filesystem::path& folder, int64_t step);

/// Whether this folder is a checkpoint, an empty one, or what a run that died has left of one.
bool is_of_checkpoint(const std::filesystem::directory_entry& entry);

struct SavedCheckpoint {
  int64_t step;
  std::filesystem::path path;
};
/// All of them, valid or damaged, the oldest first; none if there is no such folder.
/// errors  IoError if it cannot be listed
std::vector<SavedCheckpoint> checkpoints_in(const std::filesystem::path& folder);

/// What is wrong with a checkpoint, on one line: the file, what was found and what was expected. Empty if it is valid.
std::string fault_in_checkpoint(const std::filesystem::path& checkpoint);

struct NewestCheckpoint {
  std::filesystem::path path;              ///< empty if none is valid
  std::vector<std::string> newer_damaged;  ///< faults of those after it, the newest first
};
/// The newest valid one. Reads it, and those after it, as a whole.
/// errors  IoError if the folder cannot be listed
NewestCheckpoint newest_checkpoint(const std::filesystem::path& folder);

/// Removes all but the `keep` newest.
/// spared   are kept in any case: a running task may still copy files from one, or go back to it
/// returns  which one could not be removed, and why; empty if all went well
std::string remove_old_checkpoints(const std::filesystem::path& folder, int64_t keep,
                                   const std::vector<std::filesystem::path>& spared);

/// Cleans up after runs that died while they wrote or removed a checkpoint. To be called while no other run writes
/// here.
void recover_checkpoints(const std::filesystem::path& folder);

}  // namespace portatune::train
