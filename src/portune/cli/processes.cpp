#include "portune/cli/processes.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "portune/bad_rows.h"
#include "portune/error.h"
#include "portune/processes/mpi_group.h"

namespace portune::cli {
namespace {

using namespace std::chrono_literals;

// What all processes find wrong, the first one tells: it has ended the others by then.
constexpr auto kHeadStart = 2s;

void require_all_of_them(const ProcessGroup& processes) {
  if (processes.size() == launched_processes()) return;
  throw DeviceError(
      {.where = "MPI",
       .given = fmt::format("{} of {} processes that were started", processes.size(), launched_processes()),
       .expected = "all of them",
       .fix = "start them with the mpirun of the MPI that Portune was built with, or srun --mpi=pmix"});
}

}  // namespace

FitArguments of_process(FitArguments a) {
  if (launched_processes() == 1) return a;
  a.device.processes = mpi_group();
  require_all_of_them(*a.device.processes);
  if (!a.device.programs_folder.empty()) {
    throw UsageError({.where = "compiled",
                      .given = "several processes, whose programs exchange by MPI",
                      .expected = "one process: plan has compiled for the devices of one"});
  }
  if (a.device.mesh.devices() == 1) a.device.mesh.data = a.device.processes->size();
  if (!is_first(a.device.processes.get())) {
    a.talk.quiet = true;
    if (a.model.bad_rows) a.model.bad_rows = std::make_shared<data::BadRows>(a.model.bad_rows->limit());
  }
  return a;
}

void in_turn(ProcessGroup* processes, const std::function<void()>& body) {
  if (is_first(processes)) body();
  wait_for_all(processes);
  if (!is_first(processes)) body();
  wait_for_all(processes);
}

void require_one_process(const char* what) {
  if (launched_processes() == 1) return;
  throw UsageError({.where = what,
                    .given = fmt::format("{} processes", launched_processes()),
                    .expected = "one; several work together in portune fit without --folds"});
}

void end_processes(int exit_code, const char* message) {
  if (launched_processes() == 1) return;
  std::shared_ptr<ProcessGroup> processes;
  try {
    processes = mpi_group();
  } catch (const Error&) {  // there is no MPI
    return;
  }
  if (!is_first(processes.get())) std::this_thread::sleep_for(kHeadStart);
  fmt::print(stderr, "portune: process {} of {}: {}\n", processes->rank(), processes->size(), message);
  std::fflush(stderr);
  processes->abort(exit_code);
}

}  // namespace portune::cli
