#include "portatune/cli/save_model.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <vector>

#include "portatune/cli/report.h"
#include "portatune/cli/resume_command.h"
#include "portatune/error.h"
#include "portatune/process_group.h"
#include "portatune/train/checkpoint.h"
#include "portatune/train/checkpoint_folder.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;

// A folder for temporary files, a new one for the first process; empty if there can be none.
fs::path temporary_folder(const ProcessGroup* processes) {
  std::error_code none;
  const fs::path parent = fs::temp_directory_path(none);
  if (none || !is_first(processes)) return parent;
  std::string name = parent / "portatune-XXXXXX";
  return mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

bool try_checkpoint(Trainer& trainer, const fs::path& path) {
  try {
    trainer.save_checkpoint(path);
    return true;
  } catch (const std::exception&) {  // the first fault, that the model is not saved, is the one to report
    return false;
  }
}

// A checkpoint of the last step; empty if none can be written.
fs::path checkpoint_of_last_step(Trainer& trainer, const FitArguments& a) {
  ProcessGroup* const processes = a.device.processes.get();
  const fs::path path = train::checkpoint_path(a.output, trainer.steps());
  if (in_any(processes, train::is_checkpoint(path)) || try_checkpoint(trainer, path)) return path;
  if (a.folds > 0) return {};  // a fold is resumed by --resume, from its own folder alone
  const fs::path folder = temporary_folder(processes);
  if (in_any(processes, folder.empty())) return {};
  const fs::path elsewhere = train::checkpoint_path(folder, trainer.steps());
  if (try_checkpoint(trainer, elsewhere)) return elsewhere;
  if (is_first(processes)) rmdir(folder.c_str());
  return {};
}

void tell_what_is_left(const FitArguments& a, const fs::path& checkpoint, int64_t steps) {
  if (!checkpoint.empty()) {
    return tell_how_to_go_on(a, checkpoint,
                             fmt::format("the model is not saved; step {} is in {}", steps, checkpoint.string()));
  }
  const std::string lost = fmt::format("neither the model nor a checkpoint of step {} is saved", steps);
  const std::vector<train::SavedCheckpoint> older = train::checkpoints_in(a.output);
  if (older.empty()) return tell(fmt::format("portatune: {}\n", lost));
  tell_how_to_go_on(a, older.back().path, lost + "; the newest checkpoint is " + older.back().path.string());
}

}  // namespace

void tell_how_to_go_on(const FitArguments& a, const fs::path& checkpoint, const std::string& what) {
  const ProcessGroup* const processes = a.device.processes.get();
  const std::string note = note_on_secrets(a.words);
  tell(fmt::format("portatune: {}\n  go on{} with  {}\n{}", what,
                   processes == nullptr ? "" : fmt::format(", in {} processes,", processes->size()),
                   resume_command(a.words, a.folds > 0 ? "" : checkpoint.string()),
                   note.empty() ? "" : "  " + note + "\n"));
}

void save_model(Trainer& trainer, const FitArguments& a) {
  try {
    trainer.save(a.output);
  } catch (const NumericError&) {
    throw;
  } catch (const std::exception&) {
    const fs::path checkpoint = checkpoint_of_last_step(trainer, a);
    if (is_first(a.device.processes.get())) tell_what_is_left(a, checkpoint, trainer.steps());
    throw;
  }
}

}  // namespace portatune::cli
