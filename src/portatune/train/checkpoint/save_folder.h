// The folder of a saved model or checkpoint, which is replaced as a whole.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::train {

/// Name of the lock file in a run's output folder; it exists during the run.
inline constexpr const char* kLockFile = ".portatune-lock";

/// Name of the file in a model folder with the model's training settings.
inline constexpr const char* kSettingsFile = "portatune.json";

/// Name of the file with the options of a run, which the run writes before its first step.
inline constexpr const char* kArgumentsFile = "training_args.json";

/// Returns whether the folder itself is a model, in contrast to a folder of checkpoints alone.
bool holds_model(const std::filesystem::path& folder);

/// Returns whether saving again replaces this entry of a folder: a file of a model or checkpoint. Also true for
/// checkpoints, which belong to a run but stay.
bool is_replaced(const std::filesystem::directory_entry& entry);

/// The first entry that saving there must not remove: one that is not replaced, in a folder to which no run has written
/// so far. Empty if there is none, as in a new or empty folder. Other entries beside the checkpoints, the options and
/// the lock of a run are allowed, and are kept.
/// written  the new folder that will replace this one; entries that it has, too, may go. Empty: not written yet
std::string entry_in_the_way(const std::filesystem::path& folder, const std::filesystem::path& written = {});

/// errors  UsageError if there is an entry in the way, or the folder is the working folder
void require_place_to_save(const std::filesystem::path& folder, const std::filesystem::path& written = {});

}  // namespace portatune::train
