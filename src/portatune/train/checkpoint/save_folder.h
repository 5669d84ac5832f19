// Where a model or a checkpoint is saved: a folder that is replaced as a whole.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::train {

/// Name of a file that a run has in its output folder while it lasts.
inline constexpr const char* kLockFile = ".portatune-lock";

/// Name of the file of a model's folder with the settings that it was trained with.
inline constexpr const char* kSettingsFile = "portatune.json";

/// Whether the folder itself is a model: not only checkpoints are in it.
bool holds_model(const std::filesystem::path& folder);

/// Whether saving anew takes the place of this entry of a folder: a file that models and checkpoints consist of. Also
/// whether an entry is a checkpoint, which belongs to a run but stays.
bool is_replaced(const std::filesystem::directory_entry& entry);

/// The first entry that saving there would have no right to: one that is not replaced, in a folder to which no run has
/// written so far. Empty if there is none, as in a folder that is new or empty. Beside checkpoints and the lock of a
/// run anything may lie, and is kept.
/// written  the folder that is to take the place of that one; what it has, too, is no other's. Empty: not written yet
std::string entry_in_the_way(const std::filesystem::path& folder, const std::filesystem::path& written = {});

/// errors  UsageError if there is an entry in the way, or the folder is the working folder
void require_place_to_save(const std::filesystem::path& folder, const std::filesystem::path& written = {});

}  // namespace portatune::train
