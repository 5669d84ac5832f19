#include "portatune/cli/output_folder.h"

#include <string>

#include "portatune/cli/exit_code.h"
#include "portatune/error.h"
#include "portatune/io/atomic_directory.h"
#include "portatune/train/checkpoint_folder.h"
#include "portatune/train/save_folder.h"

namespace portatune::cli {
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

bool lies_in(const fs::path& inner, const fs::path& outer) {
  fs::path path = fs::absolute(inner).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "checkpoint-20/"
  std::error_code absent;
  return fs::equivalent(path.parent_path(), outer, absent);
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
  check_contents(output);
  // Whether it can be written is known best by trying: this creates a folder beside it, and removes it.
  io::AtomicDirectory trial(output);
}

fs::path checkpoint_to_resume(const fs::path& output) {
  const std::vector<train::SavedCheckpoint> checkpoints = train::checkpoints_in(output);
  if (!checkpoints.empty()) return checkpoints.back().path;
  if (!fs::exists(output / "config.json")) return {};
  throw OutputError({.where = "--resume",
                     .given = "a trained model in " + output.string() + ", and no checkpoint",
                     .expected = "a run that is not finished",
                     .fix = "leave out --resume to train anew, in place of that model"});
}

void require_no_other_run(const fs::path& output, const fs::path& resumed_from) {
  const std::vector<train::SavedCheckpoint> checkpoints = train::checkpoints_in(output);
  if (checkpoints.empty() || (!resumed_from.empty() && lies_in(resumed_from, output))) return;
  throw OutputError({.where = "--output " + output.string(),
                     .given = "a folder with " + checkpoints.back().path.filename().string() + " of an earlier run",
                     .expected = "no checkpoints where another run begins",
                     .fix = "go on from it with --resume, remove the folder, or choose another"});
}

}  // namespace portatune::cli
