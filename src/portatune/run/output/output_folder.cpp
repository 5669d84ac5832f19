#include "portatune/run/output/output_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "portatune/base/files/output_file.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/text/json.h"
#include "portatune/run/options/model_name.h"
#include "portatune/run/output/output_error.h"
#include "portatune/run/output/save_model.h"
#include "portatune/sources.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

void check_contents(const fs::path& output) {
  const std::string entry = train::entry_in_the_way(output);
  if (entry.empty()) return;
  throw OutputError({.where = "--output " + output.string(),
                     .given = "a folder with \"" + entry + "\" in it, which is no part of a model",
                     .expected = "a new folder, or one with nothing but a model and its checkpoints",
                     .fix = "choose another folder"});
}

// "checkpoint-8, checkpoint-16"
std::string names_of(const std::vector<train::SavedCheckpoint>& checkpoints) {
  std::vector<std::string> names;
  for (const train::SavedCheckpoint& checkpoint : checkpoints) names.push_back(checkpoint.path.filename().string());
  return list_of(names);
}

// Whether a path is in a folder, or in a folder in it.
bool lies_below(fs::path path, const fs::path& folder) {
  for (path = fs::absolute(path).lexically_normal(); path.has_relative_path(); path = path.parent_path()) {
    if (lies_in(path, folder)) return true;
  }
  return false;
}

// Folders to search for the intended checkpoint: beside it, in it, and the output folder.
std::string checkpoints_near(const fs::path& checkpoint, const fs::path& output) {
  for (const fs::path& folder : {checkpoint, checkpoint.parent_path(), output}) {
    if (!fs::is_directory(folder)) continue;
    const std::vector<train::SavedCheckpoint> found = train::checkpoints_in(folder);
    if (!found.empty()) return "in " + folder.string() + " there are " + names_of(found);
  }
  return "no checkpoint is beside it or in " + output.string();
}

void require_valid(const fs::path& checkpoint, hub::ValidCheckpoint* last) {
  const std::string fault = train::fault_in_checkpoint(checkpoint, last);
  if (fault.empty()) return;
  const fs::path other = train::newest_checkpoint(train::folder_of_checkpoint(checkpoint)).path;
  throw CheckpointError({.where = "--resume-from-checkpoint " + checkpoint.string(),
                         .given = fault,
                         .expected = "a valid checkpoint",
                         .fix = other.empty()
                                    ? "start again, as no checkpoint beside it is valid"
                                    : "resume from " + other.string() + ", the newest valid checkpoint there"});
}

}  // namespace

void check_output_folder(const fs::path& output, const fs::path& model) {
  if (fs::exists(output) && fs::exists(model) && fs::equivalent(output, model)) {
    throw UsageError({.where = "--output " + output.string(),
                      .given = "the folder of the model that training starts from",
                      .expected = "another folder"});
  }
  if (fs::exists(output) && fs::equivalent(output, fs::current_path())) {
    throw UsageError({.where = "--output " + output.string(),
                      .given = "the working folder, which saving would replace under your feet",
                      .expected = "another folder"});
  }
  if (fs::exists(output) && !fs::is_directory(output)) {
    throw OutputError(
        {.where = "--output " + output.string(), .given = "a file", .expected = "a folder, or nothing yet"});
  }
  io::recover_directory(output);
  const fs::path arguments = output / train::kArgumentsFile;
  remove_leftovers({&arguments, 1});  // of a run that died while it began
  check_contents(output);
  // Creates a folder beside it and removes it: the surest test of write access.
  io::AtomicDirectory trial(output);
}

void require_no_input(const fs::path& file, const std::vector<std::string>& inputs) {
  std::error_code absent;
  if (!fs::is_regular_file(file, absent)) return;
  std::vector<std::string> words = inputs;
  std::erase_if(words, io::is_remote);
  for (const std::string& input : data::matching_files(words)) {
    if (!fs::equivalent(input, file, absent)) continue;
    throw OutputError({.where = "--output " + file.string(),
                       .given = "a file whose rows are read",
                       .expected = "another file",
                       .fix = "choose another name: results would replace the rows"});
  }
}

bool lies_in(const fs::path& inner, const fs::path& outer) {
  if (inner.empty()) return false;
  fs::path path = fs::absolute(inner).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "checkpoint-20/"
  std::error_code absent;
  return fs::equivalent(path.parent_path(), outer, absent);
}

void require_checkpoint(const RunOptions& a) {
  const fs::path& checkpoint = a.resume_from_checkpoint;
  if (train::is_checkpoint(checkpoint)) return require_valid(checkpoint, a.model.valid_checkpoint.get());
  throw NotFoundError({.where = "--resume-from-checkpoint " + checkpoint.string(),
                       .given = fs::is_directory(checkpoint) ? "a folder without the training state of a checkpoint"
                                                             : "no such checkpoint folder",
                       .expected = "a folder checkpoint-N that a run has written",
                       .fix = checkpoints_near(checkpoint, a.output)});
}

fs::path checkpoint_to_resume(const RunOptions& a, Events& events) {
  const fs::path& output = a.output;
  const train::NewestCheckpoint newest = train::newest_checkpoint(output, a.model.valid_checkpoint.get());
  for (const std::string& fault : newest.newer_damaged) events.warning("damaged checkpoint, not used: " + fault);
  if (!newest.path.empty()) return newest.path;
  if (train::find_run_record(output)) return {};
  if (!newest.newer_damaged.empty()) {
    throw CheckpointError({.where = "--resume",
                           .given = "no valid checkpoint in " + output.string() + "; " + newest.newer_damaged.front(),
                           .expected = "a checkpoint whose files are as they were written",
                           .fix = "copy a checkpoint there again, or start again with --overwrite-output in place of "
                                  "--resume"});
  }
  if (!train::holds_model(output)) return {};
  throw OutputError({.where = "--resume",
                     .given = "a model in " + output.string() + ", without a checkpoint or a record of its run",
                     .expected = "a run that can be resumed",
                     .fix = "replace the model by --overwrite-output in place of --resume, or choose another folder"});
}

void require_no_other_run(const fs::path& output, const fs::path& resumed_from) {
  if (lies_in(resumed_from, output)) return;
  const std::vector<train::SavedCheckpoint> checkpoints = train::checkpoints_in(output);
  const bool has_model = train::holds_model(output);
  if (checkpoints.empty() && !has_model) return;
  throw OutputError(
      {.where = "--output " + output.string(),
       .given = has_model ? "a folder with a trained model"
                          : "a folder with " + checkpoints.back().path.filename().string() + " of an earlier run",
       .expected = "a folder without a model and checkpoints, where a new run begins",
       .fix = "choose another folder, continue that run with --resume, or replace it with "
              "--overwrite-output"});
}

void remove_earlier_run(const fs::path& output) {
  const std::string fault = train::remove_old_checkpoints(output, 0, 0, {});
  if (!fault.empty()) {
    throw OutputError({.where = "--overwrite-output", .given = fault, .expected = "a folder that can be emptied"});
  }
  fs::remove_all(output / kAverageFolder);
  fs::remove(output / train::kRunRecordFile);  // without checkpoints, the model cannot be trained further
}

void require_model_elsewhere(const fs::path& model, const fs::path& output) {
  if (!lies_below(model, output)) return;
  throw UsageError({.where = "overwrite_output",
                    .given = "--model " + model.string() + ", which would be removed",
                    .expected = "a model outside of --output"});
}

void check_folder_of_runs(const fs::path& output, const char* marker, bool resume, bool overwrite) {
  if (fs::exists(output) && !fs::is_directory(output)) {
    throw OutputError({.where = "--output " + output.string(), .given = "a file", .expected = "a folder"});
  }
  const auto is_lock = [](const fs::directory_entry& entry) {
    return entry.path().filename() == train::kLockFile || entry.path().filename() == io::kLostAndFound;
  };
  if (!fs::exists(output)) return;
  const fs::path runs = output / marker;
  remove_leftovers({&runs, 1});  // of a run that died while it began
  if (std::ranges::all_of(fs::directory_iterator(output), is_lock)) return;
  const bool has_runs = fs::exists(runs);
  if (has_runs && (resume || overwrite)) return;
  throw OutputError({.where = "--output " + output.string(),
                     .given = has_runs ? "a folder with an earlier run's models" : "a folder that is not empty",
                     .expected = "a new folder",
                     .fix = has_runs ? "continue with --resume, start again with --overwrite-output, or choose another"
                                     : "remove the folder, or choose another"});
}

void remove_earlier_runs(const fs::path& output, std::string_view prefix, const std::vector<const char*>& files) {
  std::vector<fs::path> earlier;
  for (const char* file : files) earlier.push_back(output / file);
  for (const fs::directory_entry& entry : fs::directory_iterator(output)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with(prefix)) earlier.push_back(entry.path());
  }
  for (const fs::path& path : earlier) fs::remove_all(path);
}

void require_same_runs(const fs::path& file, const train::RunFacts& facts) {
  if (!fs::exists(file)) return replace_file(file, io::line_of({{"facts", facts}}));
  train::require_same_run(file.parent_path(), with_name_of_model(io::JsonObject::read(file).get_string_map("facts")),
                          facts);
}

}  // namespace portatune::run
