// Where a model is saved: looked at before hours of training, not after.
#pragma once

#include <filesystem>

namespace portatune::cli {

/// Saving replaces the folder as a whole, but for what lies beside the checkpoints of a run. It may therefore be new,
/// empty, an older model, or hold checkpoints.
/// model    the folder that training starts from
/// errors   UsageError if it is the model's own folder or the working folder; OutputError if it is a file, or holds
///          what is no part of a model; IoError if it cannot be written
void check_output_folder(const std::filesystem::path& output, const std::filesystem::path& model);

/// The newest checkpoint in the folder; empty if no run has got that far.
/// errors   OutputError if there is a trained model and no checkpoint: nothing is left to do
std::filesystem::path checkpoint_to_resume(const std::filesystem::path& output);

/// errors   OutputError if the folder has checkpoints, unless this run goes on from one of them
void require_no_other_run(const std::filesystem::path& output, const std::filesystem::path& resumed_from);

}  // namespace portatune::cli
