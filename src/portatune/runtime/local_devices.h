// The division of a mesh's devices among processes.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/graph.h"
#include "portatune/process_group.h"
#include "portatune/runtime/pjrt/client.h"

namespace portatune {

/// Number of devices of a mesh for each process; all without a process group (null).
/// errors  UsageError if the processes cannot have the same number
int64_t devices_of_each(const Mesh& mesh, const ProcessGroup* processes);
/// The devices of a mesh that this process owns, in order: with k devices per process, process r owns devices r k to
/// r k + k - 1; all without a process group (null).
std::vector<int64_t> local_devices(const Mesh& mesh, const ProcessGroup* processes);

/// A mesh's devices among those of a client.
struct MeshDevices {
  std::vector<int64_t> ids;           ///< the plugin's ids of all devices of the mesh, in its order
  std::vector<size_t> local_indices;  ///< indices of local_devices() in Client::devices()
};

/// Chooses the devices of a mesh: the first ones of each process, by process and then by id.
/// errors  DeviceError if a process has too few, or if the plugin and the group number the processes differently
MeshDevices find_mesh_devices(const pjrt::Client& client, const Mesh& mesh, const ProcessGroup* processes);

/// A plan by which processes read an array together: each contributes the shards of some of its devices.
struct Reading {
  std::vector<int64_t> processes;             ///< the participating processes; only this one if it holds all shards
  std::vector<std::vector<int64_t>> devices;  ///< devices of each, of equal number; some may hold the same shard
};

/// Plans the reading. All participating processes get the same plan.
Reading plan_reading(const Mesh& mesh, const MeshAxes& over, const ProcessGroup* processes);

}  // namespace portatune
