#include "portune/runtime/open_client.h"

#include <numeric>
#include <string>
#include <vector>

#include "portune/error.h"
#include "portune/pjrt/call_error.h"
#include "portune/runtime/gpu_memory.h"

namespace portune {
namespace {

// Virtual devices are for trying out meshes; many more would take all threads that a process may have.
constexpr int64_t kMostVirtualDevices = 256;

std::string devices(int64_t count) { return std::to_string(count) + (count == 1 ? " device" : " devices"); }

void check_mesh(const DeviceOptions& options, const DeviceName& name) {
  const Mesh& mesh = options.mesh;
  const std::string where = "device \"" + options.device + "\"";
  if (mesh.data < 1 || mesh.fsdp < 1 || mesh.tensor < 1) {
    throw UsageError(
        {.where = where, .given = "a mesh with no device along an axis", .expected = "at least 1 along each"});
  }
  if (options.processes && name.platform != "cpu") {
    throw UsageError({.where = where,
                      .given = std::to_string(options.processes->size()) + " processes",
                      .expected = "one process for all GPUs or TPUs; several work together on CPUs only, so far"});
  }
  if (options.processes && options.processes->size() != mesh.devices()) {
    throw UsageError({.where = "mesh " + to_string(mesh),
                      .given = std::to_string(options.processes->size()) + " processes",
                      .expected = "as many as the mesh has devices: " + std::to_string(mesh.devices())});
  }
  if (!options.processes && name.platform == "cpu" && mesh.devices() > kMostVirtualDevices) {
    throw UsageError({.where = where,
                      .given = "the mesh " + to_string(mesh),
                      .expected = "at most " + devices(kMostVirtualDevices) + ", which share the processor's cores"});
  }
  if (!options.see_all && !name.numbers.empty() && std::ssize(name.numbers) != mesh.devices()) {
    throw UsageError({.where = where,
                      .given = "the mesh " + to_string(mesh) + ", which has " + devices(mesh.devices()),
                      .expected = "one of " + devices(std::ssize(name.numbers)),
                      .fix = "say how they divide the work: mesh data=" + std::to_string(name.numbers.size())});
  }
}

DeviceError too_few(const DeviceOptions& options, int64_t found) {
  return DeviceError({.where = "device \"" + options.device + "\"",
                      .given = devices(found),
                      .expected = devices(options.mesh.devices()) + ", for the mesh " + to_string(options.mesh),
                      .fix = "take a mesh of at most as many devices as there are"});
}

// Those that are asked for, or as many as are needed: the plugin takes memory of all that it sees.
std::vector<int64_t> visible_gpus(const DeviceName& name, int64_t wanted) {
  if (!name.numbers.empty()) return name.numbers;
  std::vector<int64_t> first(static_cast<size_t>(wanted));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

}  // namespace

pjrt::Client open_client(const DeviceOptions& options, const DeviceName& name) {
  check_mesh(options, name);
  const int64_t wanted = options.processes ? 1 : options.mesh.devices();
  pjrt::ClientOptions client_options;
  if (!options.plugin.empty()) client_options.plugin_file = options.plugin;
  client_options.plugin_options = plugin_options(options.gpu_memory, options.device, name.platform);
  if (name.platform == "cpu") client_options.cpu_devices = static_cast<int>(wanted);
  if (name.platform == "cuda" && !options.see_all) {
    client_options.plugin_options["visible_devices"] = visible_gpus(name, wanted);
  }
  try {
    pjrt::Client client = pjrt::Client::open(name.platform, client_options);
    if (std::ssize(client.devices()) < wanted) throw too_few(options, std::ssize(client.devices()));
    return client;
  } catch (const pjrt::CallError& error) {
    throw DeviceError({.where = "device \"" + options.device + "\"",
                       .given = "none that the plugin can use: " + error.report().where,
                       .expected = "a device of " + name.platform + ", with its driver"});
  }
}

}  // namespace portune
