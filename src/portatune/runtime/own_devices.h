// Which devices of a mesh are of which process.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/mesh.h"
#include "portatune/pjrt/client.h"
#include "portatune/process_group.h"

namespace portatune {

/// How many devices of a mesh each process has; one that is alone (null) has all.
/// errors  UsageError if they cannot have equally many
int64_t devices_of_each(const Mesh& mesh, const ProcessGroup* processes);
/// The devices of a mesh that are of this process, in order: of n processes with k devices each, process r has the
/// numbers from r k on; one that is alone (null) has all.
std::vector<int64_t> own_devices(const Mesh& mesh, const ProcessGroup* processes);

/// A mesh's devices among those of a client.
struct MeshDevices {
  std::vector<int64_t> ids;        ///< of all devices of the mesh, in its order, as the plugin counts them
  std::vector<size_t> own_places;  ///< of own_devices() among Client::devices()
};

/// Of one process the first devices that there are; of several the first of each, by process and then by id.
/// errors  DeviceError if a process has too few, or the plugin counts the processes otherwise than the group
MeshDevices find_mesh_devices(const pjrt::Client& client, const Mesh& mesh, const ProcessGroup* processes);

/// How the processes that hold an array together read it: each gives the parts that some of its devices hold.
struct Reading {
  std::vector<int64_t> processes;             ///< this one among them; alone if it holds all parts
  std::vector<std::vector<int64_t>> devices;  ///< of each process, as many each; some may hold the same part
};

/// The same in all of the processes that it names.
Reading plan_reading(const Mesh& mesh, const MeshAxes& over, const ProcessGroup* processes);

}  // namespace portatune
