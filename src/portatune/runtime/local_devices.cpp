#include "portatune/runtime/local_devices.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "portatune/base/text/message.h"
#include "portatune/device.h"
#include "portatune/error.h"

namespace portatune {
namespace {

int64_t rank_of(const ProcessGroup* processes) { return processes == nullptr ? 0 : processes->rank(); }

std::vector<int64_t> numbers_from(int64_t first, int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// The parameter `whose` is " of process 1 of 2", or empty.
DeviceError too_few(const Mesh& mesh, int64_t found, int64_t wanted, const std::string& whose) {
  return DeviceError({.where = "mesh " + to_string(mesh),
                      .given = counted(found, "device") + whose,
                      .expected = counted(wanted, "device") + whose,
                      .fix = "use a mesh with at most as many devices as there are"});
}

void require_processes(const std::map<int, std::set<int64_t>>& by_process, int64_t processes) {
  for (int64_t process = 0; process < processes; ++process) {
    if (by_process.contains(static_cast<int>(process))) continue;
    throw DeviceError({.where = std::to_string(processes) + " processes",
                       .given = "a plugin without a device of process " + std::to_string(process),
                       .expected = "devices of each process",
                       .fix = "TPUs work together as one slice; other plugins must take several processes"});
  }
}

// The ids of the first k devices of each process, by process.
std::vector<int64_t> ids_by_process(const pjrt::Client& client, const Mesh& mesh, int64_t processes) {
  std::map<int, std::set<int64_t>> by_process;
  for (const pjrt::Device& device : client.all_devices()) by_process[device.process].insert(device.id);
  require_processes(by_process, processes);
  const int64_t each = mesh.devices() / processes;
  std::vector<int64_t> ids;
  for (int64_t process = 0; process < processes; ++process) {
    const std::set<int64_t>& found = by_process[static_cast<int>(process)];
    if (std::ssize(found) < each) {
      throw too_few(mesh, std::ssize(found), each,
                    " of process " + std::to_string(process) + " of " + std::to_string(processes));
    }
    std::copy_n(found.begin(), each, std::back_inserter(ids));
  }
  return ids;
}

// For each process, the devices that hold an array together with its first device, in order.
std::vector<std::vector<int64_t>> holders(const Mesh& mesh, const MeshAxes& over, int64_t each) {
  std::vector<std::vector<int64_t>> of_process(static_cast<size_t>(mesh.devices() / each));
  for (const std::vector<int64_t>& group : mesh.groups(over)) {
    std::set<int64_t> found;
    for (const int64_t device : group) found.insert(device / each);
    for (const int64_t device : group) {
      if (device % each == 0) of_process[static_cast<size_t>(device / each)].assign(found.begin(), found.end());
    }
  }
  return of_process;
}

// True if each process and all processes in its list have the same list. Processes need not divide a mesh at its axes.
bool agree(const std::vector<std::vector<int64_t>>& holders) {
  return std::ranges::all_of(holders, [&](const std::vector<int64_t>& together) {
    return std::ranges::all_of(together,
                               [&](int64_t process) { return holders[static_cast<size_t>(process)] == together; });
  });
}

// One device of a process for each shard that it holds.
std::vector<int64_t> one_for_each_part(const Mesh& mesh, const MeshAxes& over, int64_t each, int64_t process) {
  std::set<int64_t> indices;
  std::vector<int64_t> devices;
  for (const int64_t device : numbers_from(process * each, each)) {
    if (indices.insert(mesh.index(device, over)).second) devices.push_back(device);
  }
  return devices;
}

}  // namespace

BatchShare batch_share(const Mesh& mesh, const ProcessGroup* processes) {
  const std::vector<int64_t> own = local_devices(mesh, processes);
  return {.parts = mesh.size(kBatchAxes),
          .begin = mesh.index(own.front(), kBatchAxes),
          .end = mesh.index(own.back(), kBatchAxes) + 1};
}

int64_t devices_of_each(const Mesh& mesh, const ProcessGroup* processes) {
  if (processes == nullptr) return mesh.devices();
  if (mesh.devices() % processes->size() == 0) return mesh.devices() / processes->size();
  throw UsageError({.where = "mesh " + to_string(mesh),
                    .given = std::to_string(processes->size()) + " processes",
                    .expected = "a number of devices that the processes divide equally; on CPUs one per process"});
}

std::vector<int64_t> local_devices(const Mesh& mesh, const ProcessGroup* processes) {
  const int64_t each = devices_of_each(mesh, processes);
  return numbers_from(rank_of(processes) * each, each);
}

MeshDevices find_mesh_devices(const pjrt::Client& client, const Mesh& mesh, const ProcessGroup* processes) {
  const std::span<const pjrt::Device> here = client.devices();
  const std::vector<int64_t> own = local_devices(mesh, processes);
  if (std::ssize(here) < std::ssize(own)) {
    const std::string whose = processes == nullptr ? "" : " of process " + std::to_string(processes->rank());
    throw too_few(mesh, std::ssize(here), std::ssize(own), whose);
  }
  MeshDevices found;
  if (processes == nullptr) {
    for (size_t i = 0; i < own.size(); ++i) {
      found.ids.push_back(here[i].id);
      found.local_indices.push_back(i);
    }
    return found;
  }
  found.ids = ids_by_process(client, mesh, processes->size());
  for (const int64_t device : own) {
    const auto it = std::ranges::find(here, found.ids[static_cast<size_t>(device)], &pjrt::Device::id);
    if (it == here.end()) {
      throw DeviceError({.where = "process " + std::to_string(processes->rank()),
                         .given = "devices that the plugin assigns to process " + std::to_string(here.front().process),
                         .expected = "the same rank in the plugin and in the launch",
                         .fix = "number the processes like the devices: on TPUs RANK is the number of the worker"});
    }
    found.local_indices.push_back(static_cast<size_t>(it - here.begin()));
  }
  return found;
}

Reading plan_reading(const Mesh& mesh, const MeshAxes& over, const ProcessGroup* processes) {
  const int64_t each = devices_of_each(mesh, processes);
  const std::vector<std::vector<int64_t>> of_process = holders(mesh, over, each);
  Reading reading{.processes = agree(of_process) ? of_process[static_cast<size_t>(rank_of(processes))]
                                                 : numbers_from(0, mesh.devices() / each),
                  .devices = {}};
  size_t most = 0;
  for (const int64_t process : reading.processes) {
    most = std::max(most, reading.devices.emplace_back(one_for_each_part(mesh, over, each, process)).size());
  }
  for (std::vector<int64_t>& devices : reading.devices) devices.resize(most, devices.back());
  return reading;
}

}  // namespace portatune
