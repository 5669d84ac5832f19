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
/// The whole ones, the oldest first; none if there is no such folder.
/// errors  IoError if it cannot be listed
std::vector<SavedCheckpoint> checkpoints_in(const std::filesystem::path& folder);

/// Removes all but the `keep` newest.
/// spared   are kept in any case: a running task may still copy files from one, or go back to it
/// returns  which one could not be removed, and why; empty if all went well
std::string remove_old_checkpoints(const std::filesystem::path& folder, int64_t keep,
                                   const std::vector<std::filesystem::path>& spared);

/// Cleans up after runs that died while they wrote or removed a checkpoint. To be called while no other run writes
/// here.
void recover_checkpoints(const std::filesystem::path& folder);

}  // namespace portatune::train
