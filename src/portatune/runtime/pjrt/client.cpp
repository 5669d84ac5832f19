#include "portatune/runtime/pjrt/client.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "portatune/base/threads/cores.h"
#include "portatune/error.h"
#include "portatune/runtime/pjrt/buffer.h"
#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "portatune/runtime/pjrt/client_state.h"
#include "portatune/runtime/pjrt/compile.h"
#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/pjrt/plugin/key_value_callbacks.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::pjrt {
namespace {

PJRT_Client* create(const PJRT_Api& api, const Options& options, KeyValueStore* store) {
  const std::vector<PJRT_NamedValue> values = to_pjrt(options);
  const KeyValueCallbacks callbacks = callbacks_of(store);
  return PORTATUNE_PJRT(api, PJRT_Client_Create, .create_options = values.data(), .num_options = values.size(),
                        .kv_get_callback = callbacks.get, .kv_get_user_arg = store, .kv_put_callback = callbacks.put,
                        .kv_put_user_arg = store, .kv_try_get_callback = callbacks.try_get,
                        .kv_try_get_user_arg = store)
      .client;
}

std::vector<Device> describe_all(const PJRT_Api& api, std::span<PJRT_Device* const> handles) {
  std::vector<Device> devices;
  for (PJRT_Device* device : handles) {
    devices.push_back(
        describe(api, PORTATUNE_PJRT(api, PJRT_Device_GetDescription, .device = device).device_description));
  }
  return devices;
}

// Keeps an array alive until the plugin has finished with it.
struct SharedArray {
  const PJRT_Api* api;
  std::shared_ptr<const void> owner;
};

void release_array(PJRT_Error* error, void* array) {
  const std::unique_ptr<SharedArray> released(static_cast<SharedArray*>(array));
  discard(*released->api, error);  // reading the buffer reports the same error
}

struct HostArray {
  const TensorView& values;
  PJRT_HostBufferSemantics semantics;
  std::shared_ptr<const void> owner;
};

Buffer to_device(const std::shared_ptr<const ClientState>& client, const HostArray& array, size_t device) {
  const TensorType& type = array.values.type;
  const auto made = PORTATUNE_PJRT(client->api, PJRT_Client_BufferFromHostBuffer, .client = client->client,
                                   .data = array.values.data, .type = to_pjrt(type.dtype),
                                   .dims = type.shape.sizes().data(), .num_dims = type.shape.sizes().size(),
                                   .host_buffer_semantics = array.semantics, .device = client->device(device));
  Buffer buffer(client, made.buffer, type);
  const Event done(client->api, made.done_with_host_buffer);
  if (!array.owner) return buffer;
  auto shared = std::make_unique<SharedArray>(SharedArray{&client->api, array.owner});
  PORTATUNE_PJRT(client->api, PJRT_Event_OnReady, .event = done.handle(), .callback = release_array,
                 .user_arg = shared.get());
  shared.release();  // release_array deletes it
  return buffer;
}

// Sets the number of threads of the CPU clients that are created during its lifetime. The plugin has no option for it,
// looks for no quota of CPU time, and reads this variable when it creates a client.
class ThreadsOfNewClients {
 public:
  // threads  0: usable_cores(), or the value that the variable has
  explicit ThreadsOfNewClients(int threads) {
    if (const char* value = std::getenv(kVariable)) earlier_ = value;
    const bool has_quota = usable_cores() < std::ssize(allowed_cores());
    if (threads == 0 && !earlier_ && has_quota) threads = usable_cores();
    is_set_ = threads > 0;
    if (is_set_) setenv(kVariable, std::to_string(threads).c_str(), 1);
  }
  // The variable would be among the settings that a checkpoint records, which do not include the number of cores.
  ~ThreadsOfNewClients() {
    if (!is_set_) return;
    if (earlier_) {
      setenv(kVariable, earlier_->c_str(), 1);
    } else {
      unsetenv(kVariable);
    }
  }
  ThreadsOfNewClients(const ThreadsOfNewClients&) = delete;
  ThreadsOfNewClients& operator=(const ThreadsOfNewClients&) = delete;

 private:
  static constexpr const char* kVariable = "PJRT_NPROC";
  std::optional<std::string> earlier_;
  bool is_set_;
};

}  // namespace

ClientState::ClientState(const Plugin& plugin, const Options& options, std::shared_ptr<KeyValueStore> values)
    : plugin(plugin), api(plugin.api()), store(std::move(values)), client(create(api, options, store.get())) {
  const auto name = PORTATUNE_PJRT(api, PJRT_Client_PlatformName, .client = client);
  platform_name.assign(name.platform_name, name.platform_name_size);
  const auto version = PORTATUNE_PJRT(api, PJRT_Client_PlatformVersion, .client = client);
  platform_version.assign(version.platform_version, version.platform_version_size);
  const auto found = PORTATUNE_PJRT(api, PJRT_Client_AddressableDevices, .client = client);
  device_handles.assign(found.addressable_devices, found.addressable_devices + found.num_addressable_devices);
  devices = describe_all(api, device_handles);
  const auto all = PORTATUNE_PJRT(api, PJRT_Client_Devices, .client = client);
  all_devices = describe_all(api, {all.devices, all.num_devices});
}

ClientState::~ClientState() { PORTATUNE_PJRT_DESTROY(api, PJRT_Client_Destroy, .client = client); }

PJRT_Device* ClientState::device(size_t index) const {
  if (index < device_handles.size()) return device_handles[index];
  throw UsageError({.where = "device " + std::to_string(index),
                    .given = platform_name + " with " + std::to_string(devices.size()) + " devices",
                    .expected = "a smaller index"});
}

Client Client::open(std::string_view platform, const ClientOptions& options) {
  Options plugin_options = options.plugin_options;
  std::optional<ThreadsOfNewClients> threads;
  if (platform == "cpu") {
    plugin_options["cpu_device_count"] = int64_t{options.cpu_devices};
    threads.emplace(options.cpu_threads);
  }
  return Client(Plugin::load(find_plugin(platform, options.plugin_file)), plugin_options, options.store);
}

Client::Client(const Plugin& plugin, const Options& options, std::shared_ptr<KeyValueStore> store)
    : state_(std::make_shared<const ClientState>(plugin, options, std::move(store))) {}

const Plugin& Client::plugin() const { return state_->plugin; }
const std::string& Client::platform_name() const { return state_->platform_name; }
const std::string& Client::platform_version() const { return state_->platform_version; }
std::span<const Device> Client::devices() const { return state_->devices; }
std::span<const Device> Client::all_devices() const { return state_->all_devices; }

std::optional<MemoryUse> Client::memory_use(size_t device) const {
  try {
    const auto found = PORTATUNE_PJRT(state_->api, PJRT_Device_MemoryStats, .device = state_->device(device));
    return MemoryUse{found.bytes_in_use, found.bytes_limit_is_set ? std::optional(found.bytes_limit) : std::nullopt};
  } catch (const CallError& error) {
    if (error.kind() == CallError::Kind::kUnimplemented) return std::nullopt;
    throw;
  }
}

Buffer Client::copy_to_device(const TensorView& values, size_t device) const {
  return to_device(state_, {values, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, nullptr}, device);
}

Buffer Client::move_to_device(Tensor values, size_t device) const {
  const auto owner = std::make_shared<const Tensor>(std::move(values));
  // The array has no other owner, so that the device may write into it. Only CPUs can do so.
  const auto semantics = platform_name() == "cpu" ? PJRT_HostBufferSemantics_kMutableZeroCopy
                                                  : PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
  return to_device(state_, {owner->view(), semantics, owner}, device);
}

Buffer Client::share_with_device(const TensorView& values, std::shared_ptr<const void> owner, size_t device) const {
  return to_device(state_, {values, PJRT_HostBufferSemantics_kImmutableZeroCopy, std::move(owner)}, device);
}

LoadedExecutable Client::compile(std::string_view module_text, const CompileOptions& options) const {
  return LoadedExecutable(state_, pjrt::compile(*state_, module_text, options), module_text, options);
}

LoadedExecutable Client::load(std::string_view serialized, std::string_view module_text,
                              const CompileOptions& options) const {
  const auto loaded =
      PORTATUNE_PJRT(state_->api, PJRT_Executable_DeserializeAndLoad, .client = state_->client,
                     .serialized_executable = serialized.data(), .serialized_executable_size = serialized.size());
  return LoadedExecutable(state_, loaded.loaded_executable, module_text, options);
}

}  // namespace portatune::pjrt
