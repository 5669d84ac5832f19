#include "portatune/cli/terminal/hang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "portatune/base/thread_stacks.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/processes.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/io/remote/bounded_call.h"
#include "portatune/process_group.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"

namespace portatune::cli {
namespace {

using namespace std::chrono_literals;

constexpr double kDefaultOfSeveral_s = 1800;
// The other processes hang too, and the stacks of the process that they wait for are the most informative.
constexpr auto kForStacksOfOthers = 10s;
// The search has a limit because the folder itself may be the cause of the hang.
constexpr auto kToFindCheckpoints = 5s;

double timeout_of(const FitArguments& a) {
  return a.hang_timeout_s.value_or(a.device.processes == nullptr ? 0 : kDefaultOfSeveral_s);
}

std::vector<train::SavedCheckpoint> find_checkpoints(const std::filesystem::path& output) {
  try {
    return io::bounded_call([output] { return train::checkpoints_in(output); }, io::Clock::now() + kToFindCheckpoints);
  } catch (...) {
    return {};
  }
}

[[noreturn]] void end_hang(const FitArguments& a, double timeout_s, run::Events& events, Processes& launched) {
  const std::string what = fmt::format(
      "ended by --hang-timeout: no step, batch or exchange within {} s, and nothing was read or written", timeout_s);
  ProcessGroup* const processes = a.device.processes.get();
  const std::string who = processes == nullptr ? "" : fmt::format("process {}: ", processes->rank());
  print_message(fmt::format("\nportatune: {}{}; the stacks of all threads:\n", who, what));
  write_thread_stacks(STDERR_FILENO);
  if (const auto saved = find_checkpoints(a.output); is_first(processes) && !saved.empty()) {
    events.resumable(saved.back().path, "the newest checkpoint is " + saved.back().path.string());
  }
  if (processes != nullptr) {
    std::this_thread::sleep_for(kForStacksOfOthers);
    launched.end(kHang, what.c_str());
  }
  std::_Exit(kHang);
}

}  // namespace

std::unique_ptr<Watchdog> watch_for_hangs(const FitArguments& a, run::Events& events, Processes& processes) {
  const double timeout_s = timeout_of(a);
  if (timeout_s == 0) return nullptr;
  const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(timeout_s));
  return std::make_unique<Watchdog>(timeout,
                                    [a, timeout_s, &events, &processes] { end_hang(a, timeout_s, events, processes); });
}

}  // namespace portatune::cli
