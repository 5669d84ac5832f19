#include "portatune/cli/process/processes.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>

#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/run/launch/process_options.h"
#include "portatune/runtime/processes/exchange_group.h"
#include "portatune/sources.h"

namespace portatune::cli {
namespace {

using namespace std::chrono_literals;

// Head start of the first process: it reports a fault that all processes find, and ends the others before they do.
constexpr auto kHeadStart = 2s;
constexpr std::chrono::seconds kToBeginAfterAnError = 10s;

// Ends the process `rank` at once; it would otherwise notice the end of another one only at its next exchange.
[[noreturn]] void end_with(int64_t rank, const Ending& ending) {
  print_message(fmt::format("portatune: process {} ends, as process {} has: {}\n", rank, ending.rank, ending.why));
  static_assert(kLostProcess == kUnavailable);
  std::_Exit(ending.exit_code);
}

// Ends this process of a launch when another one has ended.
std::function<void(const Ending&)> end_of(const Launch& launch) {
  return [rank = launch.rank](const Ending& ending) { end_with(rank, ending); };
}

void require_same_options(ProcessGroup* processes, const OptionValues& values) {
  std::string all;
  for (const auto& [name, value] : values) all += name + " " + value + "\n";
  if (!first_with_another(processes, io::hash_of(all))) return;
  for (const auto& [name, value] : values) {
    const std::optional<int64_t> other = first_with_another(processes, io::hash_of(value));
    if (!other) continue;
    throw UsageError({.where = name,
                      .given = fmt::format("different values in process {} and process 0", *other),
                      .expected = "the same options in all processes"});
  }
}

}  // namespace

const Launch& Processes::launch(bool on_tpu) {
  if (!launch_) launch_ = find_launch(on_tpu);
  return *launch_;
}

void Processes::join(DeviceOptions& device, Reporting& reporting, const OptionValues& values) {
  if (launch(device.device == "tpu").size == 1) return;
  device = run::process_options(std::move(device), launch(), end_of(launch()));
  reporting.quiet |= !is_first(device.processes.get());
  require_same_options(device.processes.get(), values);
}

void Processes::report_in_first(const DeviceOptions& device, std::shared_ptr<data::BadRows>& bad_rows) {
  if (bad_rows && !is_first(device.processes.get())) bad_rows = std::make_shared<data::BadRows>(bad_rows->limit());
}

void Processes::require_one(const char* what) { run::require_one_process(launch(), what); }

void Processes::leave() {
  if (const std::optional<Ending> ending = end_launched_group()) end_with(launch().rank, *ending);
}

void Processes::end(int exit_code, const char* message) {
  const auto report_abort = [&](int64_t rank) {
    if (rank != 0) std::this_thread::sleep_for(kHeadStart);
    print_message(fmt::format("portatune: process {} of {}: {}\n", rank, launch().size, message));
  };
  try {
    if (launch().size == 1) return;
    abort_launched(launch(), kToBeginAfterAnError, end_of(launch()), exit_code, report_abort);
  } catch (const std::exception&) {  // there is no plug-in, or no process to inform
  }
}

}  // namespace portatune::cli
