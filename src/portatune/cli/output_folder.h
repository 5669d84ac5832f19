// Where a model is saved: looked at before hours of training, not after.
#pragma once

#include <filesystem>

#include "portatune/run/events.h"

namespace portatune::cli {

/// Saving replaces the folder as a whole, but for what lies beside the checkpoints of a run. It may therefore be new,
/// empty, an older model, or hold checkpoints.
/// model    the folder that training starts from
/// errors   UsageError if it is the model's own folder or the working folder; OutputError if it is a file, or holds
///          what is no part of a model; IoError if it cannot be written
void check_output_folder(const std::filesystem::path& output, const std::filesystem::path& model);

/// Requires that --resume-from-checkpoint names a valid checkpoint.
/// errors   NotFoundError with the checkpoints that there are beside it, or in the output folder; CheckpointError with
///          the damaged file and the newest valid checkpoint beside it
void require_checkpoint(const std::filesystem::path& checkpoint, const std::filesystem::path& output);

/// The newest valid checkpoint in the folder; empty if there is none, and no run to resume.
/// events   gets a warning of each newer one that is damaged
/// errors   CheckpointError if all are damaged and the run has not finished; OutputError if there is a trained model
///          that no checkpoint and no record of its run belongs to
std::filesystem::path checkpoint_to_resume(const std::filesystem::path& output, run::Events& events);

/// Requires that a new run replaces neither a model nor the checkpoints of another run.
/// resumed_from   where this run starts: from one of the checkpoints in the folder it goes on there
/// errors         OutputError
void require_no_other_run(const std::filesystem::path& output, const std::filesystem::path& resumed_from);

/// Makes way for a new run: removes the checkpoints of an earlier one. Its model stays until the new one replaces it.
/// errors   OutputError if a checkpoint cannot be removed
void remove_earlier_run(const std::filesystem::path& output);

/// Whether a path is of an entry of this folder.
bool lies_in(const std::filesystem::path& inner, const std::filesystem::path& outer);

}  // namespace portatune::cli
