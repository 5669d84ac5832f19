#include "portatune/cli/process/hang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "portatune/base/threads/thread_stacks.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/processes.h"
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
// The search has limits because the folder itself may be the cause of the hang, and checkpoints may be large.
constexpr auto kToFindCheckpoints = 5s;
constexpr auto kToVerifyCheckpoints = 20s;
constexpr auto kToReport = 60s;

// Returns nothing if the call fails or does not return in time.
template <class Call>
std::optional<std::invoke_result_t<Call>> try_call(Call call, std::chrono::seconds limit) {
  try {
    return io::bounded_call(std::move(call), io::Clock::now() + limit);
  } catch (...) {
    return std::nullopt;
  }
}

void report_checkpoint(const FitArguments& a, run::Events& events) {
  const auto saved = try_call([output = a.output] { return train::checkpoints_in(output); }, kToFindCheckpoints);
  if (!saved || saved->empty()) return;
  const auto newest = try_call([output = a.output] { return train::newest_checkpoint(output); }, kToVerifyCheckpoints);
  const std::filesystem::path checkpoint = newest ? newest->path : saved->back().path;
  if (checkpoint.empty()) return;
  events.resumable(checkpoint, "the newest checkpoint is " + checkpoint.string() +
                                   (newest ? "" : "; there was no time to compare it with its checksums"));
}

// report_more  writes what helps the user after the stacks; called in the first process
[[noreturn]] void end_hang(double timeout_s, const DeviceOptions& device, Processes& launched,
                           const std::function<void()>& report_more) {
  const std::string what = fmt::format(
      "ended by --hang-timeout: no step, batch or exchange within {} s, and nothing was read or written", timeout_s);
  ProcessGroup* const processes = device.processes.get();
  const std::string who = processes == nullptr ? "" : fmt::format("process {}: ", processes->rank());
  // The report may hang as well, if its reader has stopped.
  std::thread([] {
    std::this_thread::sleep_for(kToReport);
    std::_Exit(kHang);
  }).detach();
  print_message(fmt::format("\nportatune: {}{}; the stacks of all threads:\n", who, what));
  write_thread_stacks(STDERR_FILENO);
  if (is_first(processes)) report_more();
  if (processes != nullptr) {
    std::this_thread::sleep_for(kForStacksOfOthers);
    launched.end(kHang, what.c_str());
  }
  std::_Exit(kHang);
}

std::unique_ptr<Watchdog> watch(HangTimeout given_s, const DeviceOptions& device, Processes& processes,
                                std::function<void()> report_more) {
  const double timeout_s = given_s.value_or(device.processes == nullptr ? 0 : kDefaultOfSeveral_s);
  if (timeout_s == 0) return nullptr;
  const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(timeout_s));
  return std::make_unique<Watchdog>(timeout, [=, &processes] { end_hang(timeout_s, device, processes, report_more); });
}

}  // namespace

std::unique_ptr<Watchdog> watch_for_hangs(HangTimeout timeout_s, const DeviceOptions& device, Processes& processes) {
  return watch(timeout_s, device, processes, [] {});
}

std::unique_ptr<Watchdog> watch_for_hangs(const FitArguments& a, run::Events& events, Processes& processes) {
  return watch(a.hang_timeout_s, a.device, processes, [a, &events] { report_checkpoint(a, events); });
}

}  // namespace portatune::cli
