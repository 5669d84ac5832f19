#include "portatune/runtime/open_client.h"

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/pjrt/call_error.h"
#include "portatune/pjrt/plugin.h"
#include "portatune/runtime/gpu_memory.h"
#include "portatune/runtime/own_devices.h"

namespace portatune {
namespace {

// Virtual devices are for trying out meshes; many more would take all threads that a process may have.
constexpr int64_t kMaxVirtualDevices = 256;

// Of a CPU each is a device. GPUs and TPUs are divided among them.
void check_processes(const ProcessGroup& processes, const Mesh& mesh, const DeviceName& name) {
  if (devices_of_each(mesh, &processes) == 1 || name.platform != "cpu") return;
  throw UsageError({.where = "mesh " + to_string(mesh),
                    .given = std::to_string(processes.size()) + " processes",
                    .expected = "as many as the mesh has devices: " + std::to_string(mesh.devices())});
}

void check_mesh(const DeviceOptions& options, const DeviceName& name) {
  const Mesh& mesh = options.mesh;
  const std::string where = "device \"" + options.device + "\"";
  if (mesh.data < 1 || mesh.fsdp < 1 || mesh.tensor < 1) {
    throw UsageError(
        {.where = where, .given = "a mesh with no device along an axis", .expected = "at least 1 along each"});
  }
  if (options.processes) check_processes(*options.processes, mesh, name);
  if (!options.processes && name.platform == "cpu" && mesh.devices() > kMaxVirtualDevices) {
    throw UsageError(
        {.where = where,
         .given = "the mesh " + to_string(mesh),
         .expected = "at most " + counted(kMaxVirtualDevices, "device") + ", which share the processor's cores"});
  }
  const int64_t processes = options.processes ? options.processes->size() : 1;
  const int64_t named = processes * std::ssize(name.numbers);
  if (!options.see_all && named > 0 && named != mesh.devices()) {
    throw UsageError({.where = where,
                      .given = "the mesh " + to_string(mesh) + ", which has " + counted(mesh.devices(), "device"),
                      .expected = "one of " + counted(named, "device"),
                      .fix = "say how they divide the work: mesh data=" + std::to_string(named)});
  }
}

// Those that are asked for, or as many as are needed: the plugin takes memory of all that it sees.
std::vector<int64_t> gpus_to_see(const DeviceName& name, int64_t wanted) {
  if (!name.numbers.empty()) return name.numbers;
  std::vector<int64_t> first(static_cast<size_t>(wanted));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

// Of the plugins that Portatune installs; nothing of others.
std::string platform_of_plugin(const pjrt::Plugin& plugin) {
  if (plugin.version().cuda != 0) return "cuda";
  const std::string file = plugin.file().filename().string();
  if (file.find("tpu") != std::string::npos) return "tpu";
  return file.find("cpu") != std::string::npos ? "cpu" : "";
}

DeviceError of_another_device(const pjrt::Plugin& plugin, const std::string& platform) {
  return DeviceError({.where = plugin.file().string(),
                      .given = "a plugin for " + platform_of_plugin(plugin),
                      .expected = "one for " + platform,
                      .fix = "--device " + platform_of_plugin(plugin) + ", or name no plugin"});
}

// What a client of several processes tells them, apart from what those before and after it have told.
class StoreOfClient final : public KeyValueStore {
 public:
  StoreOfClient(std::shared_ptr<KeyValueStore> store, int64_t number)
      : store_(std::move(store)), prefix_("pjrt-client-" + std::to_string(number) + "/") {}

  void put(const std::string& key, std::string_view value) override { store_->put(prefix_ + key, value); }
  std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) override {
    return store_->get(prefix_ + key, timeout);
  }

 private:
  const std::shared_ptr<KeyValueStore> store_;
  const std::string prefix_;
};

// All processes open their clients in the same order.
std::shared_ptr<KeyValueStore> store_of_next_client(ProcessGroup& processes) {
  static std::atomic<int64_t> clients = 0;
  return std::make_shared<StoreOfClient>(processes.store(), clients++);
}

}  // namespace

pjrt::Client open_client(const DeviceOptions& options, const DeviceName& name) {
  check_mesh(options, name);
  const int64_t wanted = devices_of_each(options.mesh, options.processes.get());
  pjrt::ClientOptions client_options;
  if (!options.plugin.empty()) client_options.plugin_file = options.plugin;
  client_options.plugin_options = plugin_options(options.gpu_memory, options.device, name.platform);
  if (name.platform == "cpu") client_options.cpu_devices = static_cast<int>(wanted);
  if (name.platform == "cuda" && !options.see_all) {
    client_options.plugin_options["visible_devices"] = gpus_to_see(name, wanted);
  }
  if (name.platform == "cuda" && options.processes) {
    client_options.plugin_options["node_id"] = options.processes->rank();
    client_options.plugin_options["num_nodes"] = options.processes->size();
    client_options.store = store_of_next_client(*options.processes);
  }
  // The plugin waits for the others a few minutes only, and some may have been reading their data until now.
  wait_for_all(options.processes.get());
  try {
    pjrt::Client client = pjrt::Client::open(name.platform, client_options);
    // A CPU's opens for whatever it is asked.
    if (name.platform == "tpu" && client.platform_name() == "cpu") throw of_another_device(client.plugin(), "tpu");
    return client;
  } catch (const pjrt::CallError& error) {
    const pjrt::Plugin& plugin = pjrt::Plugin::load(pjrt::find_plugin(name.platform, client_options.plugin_file));
    const std::string found = platform_of_plugin(plugin);
    if (!found.empty() && found != name.platform) throw of_another_device(plugin, name.platform);
    throw DeviceError({.where = "device \"" + options.device + "\"",
                       .given = "none that the plugin can use: " + error.report().where,
                       .expected = "a device of " + name.platform + ", with its driver"});
  }
}

}  // namespace portatune
