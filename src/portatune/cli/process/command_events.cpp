#include "portatune/cli/process/command_events.h"

#include <fmt/format.h>

#include "portatune/cli/options/runs/resume_command.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/process_group.h"

namespace portatune::cli {
namespace {

// Returns the signal that stopped the run. In a process group, another process may have caught it.
std::string cause_of_stop() {
  const int signal = caught_signal();
  return signal == 0 ? "a signal to another process" : name_of_signal(signal);
}

}  // namespace

void CommandEvents::lock_file(const std::filesystem::path& path) { remove_at_second_signal(path); }

void CommandEvents::stopped(int64_t step, const std::filesystem::path& checkpoint) {
  resumable(checkpoint,
            fmt::format("stopped by {} after step {}; saved {}", cause_of_stop(), step, checkpoint.string()));
}

void CommandEvents::resumable(const std::filesystem::path& checkpoint, const std::string& reason) {
  const ProcessGroup* const processes = arguments_.device.processes.get();
  const std::string note = note_on_secrets(arguments_.words);
  print_message(fmt::format("portatune: {}\n  resume{} with  {}\n{}", reason,
                            processes == nullptr ? "" : fmt::format(", in {} processes,", processes->size()),
                            resume_command(arguments_.words, trains_ == Trains::kOneRun ? checkpoint.string() : ""),
                            note.empty() ? "" : "  " + note + "\n"));
}

void CommandEvents::unmeasured(const std::string& validation_set) {
  notice(fmt::format("stopped by {}; the model is saved, and not measured on \"{}\"", cause_of_stop(), validation_set));
}

}  // namespace portatune::cli
