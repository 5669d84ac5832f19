#include "portatune/cli/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>

#include "portatune/bad_rows.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/process_gpus.h"
#include "portatune/cli/report.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/processes/exchange_group.h"
#include "portatune/processes/launch.h"
#include "portatune/runtime/device_name.h"

namespace portatune::cli {
namespace {

using namespace std::chrono_literals;

// What all processes find wrong, the first one tells: it has ended the others by then.
constexpr auto kHeadStart = 2s;
constexpr std::chrono::seconds kToBeginAfterAnError = 10s;

// What has been found, once a command has asked.
std::optional<Launch> known_launch;

const Launch& launch(bool on_tpu = false) {
  if (!known_launch) known_launch = find_launch(on_tpu);
  return *known_launch;
}

// The process may be at anything, and would find out at its next exchange only.
[[noreturn]] void end_with(const Ending& ending) {
  tell(fmt::format("portatune: process {} ends, as process {} has: {}\n", launch().rank, ending.rank, ending.why));
  static_assert(kLostProcess == kUnavailable);
  std::_Exit(ending.exit_code);
}

void require_all_of_them(const ProcessGroup& processes) {
  if (processes.size() == launch().size) return;
  throw DeviceError({.where = "MPI",
                     .given = fmt::format("{} of {} processes that were started", processes.size(), launch().size),
                     .expected = "all of them",
                     .fix = "start them with the mpirun of the MPI that Portatune was built with, or srun --mpi=pmix"});
}

// Before what processes of one platform alone tell each other.
void require_one_platform(ProcessGroup& processes, const std::string& device) {
  const std::vector<uint64_t> all = processes.all_gather(io::hash_of(device_name(device).platform));
  const auto other = std::ranges::find_if(all, [&](uint64_t platform) { return platform != all.front(); });
  if (other == all.end()) return;
  throw UsageError(
      {.where = "device",
       .given = fmt::format("devices of one kind in process 0 and of another in process {}", other - all.begin()),
       .expected = "the same kind in all processes"});
}

// What each process takes of the machine, and the mesh of all that all take, unless they are given.
void divide_devices(DeviceOptions& options) {
  require_one_platform(*options.processes, options.device);
  const int64_t processes = options.processes->size();
  const bool is_for_mesh = options.mesh.devices() == 1;
  if (options.device == "tpu" && is_for_mesh) {
    throw UsageError({.where = "mesh",
                      .given = fmt::format("none, with {} processes that have TPUs", processes),
                      .expected = "the devices of all of them",
                      .fix = fmt::format("--mesh data={}, if each process has four", 4 * processes)});
  }
  if (options.device == "cuda") {
    options.device = gpus_of_process(launch(), visible_gpus(), is_for_mesh ? 0 : options.mesh.devices() / processes);
  }
  if (const DeviceName name = device_name(options.device); name.platform == "cuda") {
    require_own_gpus(*options.processes, marks_of_gpus(name.numbers, open_gpus()));
  }
  if (is_for_mesh) {
    options.mesh.data = processes * std::max<int64_t>(1, std::ssize(device_name(options.device).numbers));
  }
}

}  // namespace

FitArguments of_process(FitArguments a) {
  if (launch(a.device.device == "tpu").size == 1) return a;
  a.device.processes = launched_group(launch(), launch_timeout(), end_with);
  require_all_of_them(*a.device.processes);
  if (!a.device.programs_folder.empty()) {
    throw UsageError({.where = "compiled",
                      .given = "several processes, whose programs exchange",
                      .expected = "one process: plan has compiled for the devices of one"});
  }
  divide_devices(a.device);
  if (!is_first(a.device.processes.get())) {
    a.talk.quiet = true;
    if (a.model.bad_rows) a.model.bad_rows = std::make_shared<data::BadRows>(a.model.bad_rows->limit());
  }
  return a;
}

void require_same_options(const FitArguments& a) {
  ProcessGroup* const processes = a.device.processes.get();
  std::string all;
  for (const auto& [name, value] : a.values) all += name + " " + value + "\n";
  if (!first_with_another(processes, io::hash_of(all))) return;
  for (const auto& [name, value] : a.values) {
    const std::optional<int64_t> other = first_with_another(processes, io::hash_of(value));
    if (!other) continue;
    throw UsageError({.where = name,
                      .given = fmt::format("given otherwise, or not at all, in process {} than in process 0", *other),
                      .expected = "the same options in all processes"});
  }
}

void in_turn(ProcessGroup* processes, const std::function<void()>& body) {
  if (is_first(processes)) body();
  wait_for_all(processes);
  if (!is_first(processes)) body();
  wait_for_all(processes);
}

void require_one_process(const char* what) {
  if (launch().size == 1) return;
  throw UsageError({.where = what,
                    .given = fmt::format("{} processes", launch().size),
                    .expected = "one; several work together in portatune fit without --folds"});
}

void leave_processes() {
  if (const std::optional<Ending> ending = end_launched_group()) end_with(*ending);
}

void end_processes(int exit_code, const char* message) {
  const auto tell_of_it = [&](int64_t rank) {
    if (rank != 0) std::this_thread::sleep_for(kHeadStart);
    tell(fmt::format("portatune: process {} of {}: {}\n", rank, launch().size, message));
  };
  try {
    if (launch().size == 1) return;
    abort_launched(launch(), kToBeginAfterAnError, end_with, exit_code, tell_of_it);
  } catch (const std::exception&) {  // there is no plug-in, or nobody to tell
  }
}

}  // namespace portatune::cli
