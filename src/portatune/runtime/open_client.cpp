#include "portatune/runtime/open_client.h"

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/runtime/gpu_memory.h"
#include "portatune/runtime/local_devices.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune {
namespace {

// The maximal number of virtual devices, which are for trials of meshes. Many more would need too many threads.
constexpr int64_t kMaxVirtualDevices = 256;

// On CPUs each process is one device. GPUs and TPUs are divided among the processes.
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
                      .expected = "a mesh of " + counted(named, "device"),
                      .fix = "set how they divide the work, for example mesh data=" + std::to_string(named)});
  }
}

// The named GPUs, or as many as the mesh needs. The plugin would allocate memory on all GPUs that it sees.
std::vector<int64_t> gpus_to_see(const DeviceName& name, int64_t wanted) {
  if (!name.numbers.empty()) return name.numbers;
  std::vector<int64_t> first(static_cast<size_t>(wanted));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

// The platform of a plugin that Portatune installs; empty for others.
std::string platform_of_plugin(const pjrt::Plugin& plugin) {
  if (plugin.version().cuda != 0) return "cuda";
  const std::string file = plugin.file().filename().string();
  if (file.find("tpu") != std::string::npos) return "tpu";
  return file.find("cpu") != std::string::npos ? "cpu" : "";
}

DeviceError of_another_device(const pjrt::Plugin& plugin, const std::string& platform) {
  return DeviceError({.where = plugin.file().string(),
                      .given = "a plugin for " + platform_of_plugin(plugin),
                      .expected = "a plugin for " + platform,
                      .fix = "use --device " + platform_of_plugin(plugin) + ", or name no plugin"});
}

// The key-value store of one client of several processes, separate from those of earlier and later clients.
class StoreOfClient final : public KeyValueStore {
 public:
  StoreOfClient(std::shared_ptr<KeyValueStore> store, uint64_t number)
      : store_(std::move(store)), prefix_("pjrt-client-" + std::to_string(number) + "/") {}

  void put(const std::string& key, std::string_view value) override { store_->put(prefix_ + key, value); }
  std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) override {
    return store_->get(prefix_ + key, timeout);
  }

 private:
  const std::shared_ptr<KeyValueStore> store_;
  const std::string prefix_;
};

// The store of the next client. Its number is that of process 0, since other groups may open clients at the same time.
std::shared_ptr<KeyValueStore> store_of_next_client(ProcessGroup& processes) {
  static std::atomic<uint64_t> clients = 0;
  return std::make_shared<StoreOfClient>(processes.store(), processes.all_gather(clients++).front());
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
  // The plugin waits only a few minutes for the other processes, some of which may still be reading their data.
  wait_for_all(options.processes.get());
  try {
    pjrt::Client client = pjrt::Client::open(name.platform, client_options);
    // The CPU's plugin opens under any platform name.
    if (name.platform == "tpu" && client.platform_name() == "cpu") throw of_another_device(client.plugin(), "tpu");
    return client;
  } catch (const pjrt::CallError& error) {
    const pjrt::Plugin& plugin = pjrt::Plugin::load(pjrt::find_plugin(name.platform, client_options.plugin_file));
    const std::string found = platform_of_plugin(plugin);
    if (!found.empty() && found != name.platform) throw of_another_device(plugin, name.platform);
    throw DeviceError({.where = "device \"" + options.device + "\"",
                       .given = "no device that the plugin can use: " + error.report().where,
                       .expected = "a device of " + name.platform + ", with its driver"});
  }
}

}  // namespace portatune
