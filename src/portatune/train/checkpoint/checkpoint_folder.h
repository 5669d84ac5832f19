// The checkpoints of a run: sibling folders checkpoint-N, where N is the step after which each was saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "portatune/hub.h"

namespace portatune::train {

std::filesystem::path checkpoint_path(const std::filesystem::path& folder, int64_t step);
/// The folder in which a checkpoint lies, as an absolute path: that of "checkpoint-20" is the working folder.
std::filesystem::path folder_of_checkpoint(const std::filesystem::path& checkpoint);

/// Returns whether this folder is a checkpoint, an empty one, or the unfinished one of a crashed run.
bool is_of_checkpoint(const std::filesystem::directory_entry& entry);

struct SavedCheckpoint {
  int64_t step;
  std::filesystem::path path;
};
/// All checkpoints, valid or damaged, the oldest first; empty if there is no such folder.
/// errors  IoError if it cannot be listed
std::vector<SavedCheckpoint> checkpoints_in(const std::filesystem::path& folder);

/// The fault of a checkpoint, on one line: the file, what was found and what was expected. Empty if it is valid.
/// last  see hub::verify_manifest()
std::string fault_in_checkpoint(const std::filesystem::path& checkpoint, hub::ValidCheckpoint* last = nullptr);

struct NewestCheckpoint {
  std::filesystem::path path;              ///< empty if none is valid
  std::vector<std::string> newer_damaged;  ///< faults of newer checkpoints, the newest first
};
/// The newest valid checkpoint. Reads it and the newer ones completely.
/// last    see hub::verify_manifest()
/// errors  IoError if the folder cannot be listed
NewestCheckpoint newest_checkpoint(const std::filesystem::path& folder, hub::ValidCheckpoint* last = nullptr);

/// Removes all checkpoints but `keep`: the newest, and the best if it is older.
/// best_step  step of the best checkpoint; 0: none
/// spared     checkpoints to keep in any case: a rewind may need one, or a task may still copy files from it
/// returns    the first one that could not be removed, and why; empty if there is none
std::string remove_old_checkpoints(const std::filesystem::path& folder, int64_t keep, int64_t best_step,
                                   const std::vector<std::filesystem::path>& spared);

/// Cleans up after runs that crashed while they wrote or removed a checkpoint. Call it while no other run writes here.
void recover_checkpoints(const std::filesystem::path& folder);

}  // namespace portatune::train
