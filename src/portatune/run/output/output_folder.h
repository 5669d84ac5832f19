// Checks of the output folder before training.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/run.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {

/// Requires a folder that is new, empty, an older model, or holds checkpoints, since saving replaces it as a whole
/// except for files beside the checkpoints of a run.
/// model    the folder that training starts from
/// errors   UsageError for the folder of that model and for the working folder; OutputError for a file, and a folder
///          with other entries; IoError if it cannot be written
void check_output_folder(const std::filesystem::path& output, const std::filesystem::path& model);

/// Requires that a file of results is none of these files and patterns of rows, which it would replace.
/// errors  OutputError; those of data::matching_files()
void require_no_input(const std::filesystem::path& file, const std::vector<std::string>& inputs);

/// Requires that RunOptions::resume_from_checkpoint is a valid checkpoint.
/// errors   NotFoundError that names the checkpoints beside it or in the output folder; CheckpointError that names the
///          damaged file and the newest valid checkpoint beside it
void require_checkpoint(const RunOptions& a);

/// The newest valid checkpoint in the output folder; empty if there is no run to resume. Warns of newer ones that are
/// damaged.
/// errors   CheckpointError if all are damaged and the run has not finished; OutputError if there is a trained model
///          without a checkpoint and a record of its run
std::filesystem::path checkpoint_to_resume(const RunOptions& a, Events& events);

/// Requires that a new run replaces neither a model nor the checkpoints of another run.
/// resumed_from   the checkpoint that this run resumes; it may lie in the folder
/// errors         OutputError
void require_no_other_run(const std::filesystem::path& output, const std::filesystem::path& resumed_from);

/// Removes the checkpoints of an earlier run. Its model stays until the new one replaces it.
/// errors   OutputError if a checkpoint cannot be removed
void remove_earlier_run(const std::filesystem::path& output);

/// Whether `inner` is an entry of the folder `outer`.
bool lies_in(const std::filesystem::path& inner, const std::filesystem::path& outer);

/// Requires that the model which training starts from is in no folder that --overwrite-output may remove.
/// errors  UsageError for a model in the output folder, or in a folder in it
void require_model_elsewhere(const std::filesystem::path& model, const std::filesystem::path& output);

/// Requires a folder in which a program of several runs may write: a new or empty one, or that of an earlier one, which
/// may be resumed or overwritten on request.
/// marker  name of the file that marks the folder of such a program
/// errors  OutputError
void check_folder_of_runs(const std::filesystem::path& output, const char* marker, bool resume, bool overwrite);

/// Removes what an earlier program of several runs has left in its output folder.
/// prefix  of the names of the folders of its runs
/// files   names of its files
void remove_earlier_runs(const std::filesystem::path& output, std::string_view prefix,
                         const std::vector<const char*>& files);

/// Requires that a program of several runs that is resumed has the settings of its start. Writes them if it starts.
/// file    the marker of check_folder_of_runs()
/// errors  UsageError that names a setting that differs; IoError
void require_same_runs(const std::filesystem::path& file, const train::RunFacts& facts);

}  // namespace portatune::run
