#include "portatune/run/launch/process_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/run/launch/process_gpus.h"
#include "portatune/runtime/device_name.h"

namespace portatune::run {
namespace {

void require_all(const ProcessGroup& processes, const Launch& launch) {
  if (processes.size() == launch.size) return;
  throw DeviceError({.where = "MPI",
                     .given = fmt::format("{} of {} processes that were started", processes.size(), launch.size),
                     .expected = "all of them",
                     .fix = "start them with the mpirun of the MPI that Portatune was built with, or srun --mpi=pmix"});
}

// Requires one platform before the exchanges that only processes of one platform make.
void require_one_platform(ProcessGroup& processes, const std::string& device) {
  const std::vector<uint64_t> all = processes.all_gather(io::hash_of(device_name(device).platform));
  const auto other = std::ranges::find_if(all, [&](uint64_t platform) { return platform != all.front(); });
  if (other == all.end()) return;
  throw UsageError(
      {.where = "device",
       .given = fmt::format("devices of one kind in process 0 and of another in process {}", other - all.begin()),
       .expected = "the same kind in all processes"});
}

// Chooses the devices of this process, and a mesh of the devices of all, unless they are given.
void divide_devices(DeviceOptions& options, const Launch& launch) {
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
    options.device = gpus_of_process(launch, visible_gpus(), is_for_mesh ? 0 : options.mesh.devices() / processes);
  }
  if (const DeviceName name = device_name(options.device); name.platform == "cuda") {
    require_own_gpus(*options.processes, marks_of_gpus(name.numbers, open_gpus()));
  }
  if (is_for_mesh) {
    options.mesh.data = processes * std::max<int64_t>(1, std::ssize(device_name(options.device).numbers));
  }
}

}  // namespace

DeviceOptions process_options(DeviceOptions options, const Launch& launch,
                              const std::function<void(const Ending&)>& on_end) {
  options.processes = launched_group(launch, launch_timeout(), on_end);
  require_all(*options.processes, launch);
  if (!options.programs_folder.empty()) {
    throw UsageError({.where = "compiled",
                      .given = "several processes, whose programs exchange",
                      .expected = "one process: plan has compiled for the devices of one"});
  }
  divide_devices(options, launch);
  return options;
}

void require_one_process(const Launch& launch, const char* what) {
  if (launch.size == 1) return;
  throw UsageError({.where = what,
                    .given = fmt::format("{} processes", launch.size),
                    .expected = "one; several work together in fit without --folds, evaluate, predict and generate"});
}

}  // namespace portatune::run
