#include "portatune/run/output/save_model.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include "portatune/base/text/plain_text.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/process_group.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

// A finished run has a model that is of use without the optimizer state. Only the model is saved if it is the best one,
// whose weights are not those of the last step.
enum class RunIs { kStopped, kFinished, kFinishedModelAlone };

// Retries after a pause if the system refuses: a full disk may have room then. Several processes retry together.
void save_or_try_again(ProcessGroup* processes, Events& events, const std::function<void()>& save) {
  constexpr std::array kPauses = {std::chrono::milliseconds(100), std::chrono::milliseconds(1000)};
  for (const std::chrono::milliseconds pause : kPauses) {
    try {
      return save();
    } catch (const std::exception& error) {
      // All processes decide together: an error of another kind than Error becomes an IoError in the others.
      const auto* const refusal = dynamic_cast<const IoError*>(&error);
      if (in_any(processes, refusal == nullptr)) throw;
      if (is_first(processes)) events.warning("saving has failed and is tried again: " + one_line(refusal->report()));
    }
    std::this_thread::sleep_for(pause);
  }
  save();
}

bool try_to(const std::function<void()>& save) {
  try {
    save();
    return true;
  } catch (const std::exception&) {  // the caller reports the first fault
    return false;
  }
}

bool try_to_save_state(const Trainer& trainer, const fs::path& checkpoint, RunIs run) {
  return run != RunIs::kFinishedModelAlone && try_to([&] { trainer.save_checkpoint(checkpoint); });
}

fs::path absolute_output(const RunOptions& a) {
  const fs::path output = fs::absolute(a.output).lexically_normal();
  return output.has_filename() ? output : output.parent_path();
}

// A new folder for a rescue, which the first process creates; empty if that fails.
fs::path make_rescue_folder(const fs::path& parent, const RunOptions& a) {
  if (parent.empty() || !is_first(a.device.processes.get())) return parent;
  std::string name = parent / (absolute_output(a).filename().string() + ".rescued-XXXXXX");
  return mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

// The folder that was saved in place of the output; an empty path if nothing was saved.
struct Rescue {
  fs::path path = {};
  bool is_checkpoint = true;
};

Rescue rescue_to(const fs::path& folder, const Trainer& trainer, RunIs run) {
  const fs::path checkpoint = train::checkpoint_path(folder, trainer.steps()), model = folder / "model";
  if (try_to_save_state(trainer, checkpoint, run)) return {.path = checkpoint};
  const bool is_saved = run != RunIs::kStopped && try_to([&] { trainer.save(model); });
  return is_saved ? Rescue{.path = model, .is_checkpoint = false} : Rescue{};
}

Rescue rescue(const Trainer& trainer, const RunOptions& a, RunIs run) {
  ProcessGroup* const processes = a.device.processes.get();
  const fs::path path = train::checkpoint_path(a.output, trainer.steps());
  if (in_any(processes, train::fault_in_checkpoint(path).empty())) return {.path = path};
  if (try_to_save_state(trainer, path, run)) return {.path = path};
  // Another folder can hold only the model of a fold, a trial or a stage, which is resumed from its own folder alone.
  if (a.folds > 0 || !a.training.must_match.empty()) {
    if (run == RunIs::kStopped) return {};
    run = RunIs::kFinishedModelAlone;
  }
  std::error_code none;
  for (const fs::path& parent : {absolute_output(a).parent_path(), fs::temp_directory_path(none)}) {
    const fs::path folder = make_rescue_folder(parent, a);
    if (in_any(processes, folder.empty())) continue;
    if (Rescue saved = rescue_to(folder, trainer, run); !saved.path.empty()) return saved;
    if (is_first(processes)) rmdir(folder.c_str());
  }
  return {};
}

void report_rescue(const RunOptions& a, const Rescue& saved, int64_t steps, RunIs run, Events& events) {
  if (!saved.is_checkpoint) return events.rescued(saved.path, a.output);
  if (!saved.path.empty()) {
    const std::string what = run != RunIs::kStopped ? "the model is not saved"
                                                    : fmt::format("no checkpoint is saved in {}", a.output.string());
    return events.resumable(saved.path, fmt::format("{}; step {} is in {}", what, steps, saved.path.string()));
  }
  const std::string lost = fmt::format("neither the model nor a checkpoint of step {} is saved", steps);
  const fs::path older = train::newest_checkpoint(a.output).path;
  if (older.empty()) return events.alert(lost);
  events.resumable(older, lost + "; the newest checkpoint is " + older.string());
}

void save_or_rescue(const Trainer& trainer, const RunOptions& a, RunIs run, Events& events,
                    const std::function<void()>& save) {
  ProcessGroup* const processes = a.device.processes.get();
  try {
    save_or_try_again(processes, events, save);
  } catch (const NumericError&) {
    throw;
  } catch (const std::exception&) {
    const Rescue saved = rescue(trainer, a, run);
    if (is_first(processes)) report_rescue(a, saved, trainer.steps(), run, events);
    throw;
  }
}

// Saves to a folder, and reports what of its old entries this save could not keep there.
void replace_folder(const fs::path& folder, const RunOptions& a, Events& events, const std::function<void()>& save) {
  const std::vector<fs::path> known = io::rest_folders(folder);
  save();
  if (is_first(a.device.processes.get())) report_rests(folder, known, events);
}

}  // namespace

void report_rests(const fs::path& folder, const std::vector<fs::path>& known, Events& events) {
  for (const fs::path& rest : io::rest_folders(folder)) {
    if (std::ranges::find(known, rest) != known.end()) continue;
    events.alert(
        fmt::format("{} has entries of {} that could not be kept there when a save replaced it, because "
                    "another program changed them meanwhile; move those that you need, and remove {}",
                    rest.string(), folder.string(), rest.filename().string()));
  }
}

void save_model(const Trainer& trainer, int64_t model_step, const RunOptions& a, Events& events) {
  const RunIs run = model_step == trainer.steps() ? RunIs::kFinished : RunIs::kFinishedModelAlone;
  replace_folder(a.output, a, events,
                 [&] { save_or_rescue(trainer, a, run, events, [&] { trainer.save(a.output); }); });
}

void save_average(Trainer& trainer, const RunOptions& a, Events& events) {
  if (!trainer.has_average()) return;
  ProcessGroup* const processes = a.device.processes.get();
  const fs::path folder = a.output / kAverageFolder;
  replace_folder(folder, a, events, [&] {
    try {
      save_or_try_again(processes, events, [&] { trainer.save_average(folder); });
    } catch (const NumericError&) {
      throw;
    } catch (const std::exception& error) {
      if (is_first(processes)) events.alert(std::string("the averaged weights are not saved: ") + error.what());
    }
  });
}

fs::path save_stopped_run(const Trainer& trainer, const RunOptions& a, Events& events) {
  const fs::path checkpoint = train::checkpoint_path(a.output, trainer.steps());
  save_or_rescue(trainer, a, RunIs::kStopped, events, [&] { trainer.save_checkpoint(checkpoint); });
  return checkpoint;
}

}  // namespace portatune::run
