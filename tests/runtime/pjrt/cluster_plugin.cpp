// A plugin whose clients span several processes, as those of XLA's plugin for GPUs do: each client has the devices of
// all processes, can use only its own, and finds the other clients by the key-value callbacks. It wraps the CPU's
// plugin with virtual devices for all processes: to run a program, each process gets the arguments of the others,
// computes the results of all devices, and keeps its own.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "pjrt_c_api.h"

namespace {

// The single client of this process.
struct {
  int64_t node = 0, nodes = 1, each = 1;
  std::vector<PJRT_Device*> devices;  // devices of all processes, in order
  PJRT_Client* client = nullptr;
  PJRT_KeyValueGetCallback get = nullptr;
  PJRT_KeyValueTryGetCallback try_get = nullptr;
  PJRT_KeyValuePutCallback put = nullptr;
  void* user_arg = nullptr;
  int64_t runs = 0;
} cluster;

const PJRT_Api& cpu() {
  static const PJRT_Api* const api = [] {
    void* const library = dlopen(PORTATUNE_CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  }();
  return *api;
}

// ---- errors of this plugin, besides those of the CPU's plugin

struct OwnError {
  PJRT_Error_Code code;
  std::string message;
};
std::mutex own_errors_mutex;
std::set<const void*> own_errors;

PJRT_Error* make_error(PJRT_Error_Code code, const char* message, size_t size) {
  const std::lock_guard lock(own_errors_mutex);
  auto* const error = new OwnError{code, std::string(message, size)};
  own_errors.insert(error);
  return reinterpret_cast<PJRT_Error*>(error);
}
PJRT_Error* make_error(const std::string& message) {
  return make_error(PJRT_Error_Code_INVALID_ARGUMENT, message.data(), message.size());
}
PJRT_CallbackError callback_error = make_error;

const OwnError* own(const PJRT_Error* error) {
  const std::lock_guard lock(own_errors_mutex);
  return own_errors.contains(error) ? reinterpret_cast<const OwnError*>(error) : nullptr;
}

void destroy_error(PJRT_Error_Destroy_Args* args) {
  const OwnError* const error = own(args->error);
  if (error == nullptr) return cpu().PJRT_Error_Destroy(args);
  const std::lock_guard lock(own_errors_mutex);
  own_errors.erase(error);
  delete error;
}

void error_message(PJRT_Error_Message_Args* args) {
  const OwnError* const error = own(args->error);
  if (error == nullptr) return cpu().PJRT_Error_Message(args);
  args->message = error->message.data();
  args->message_size = error->message.size();
}

PJRT_Error* error_code(PJRT_Error_GetCode_Args* args) {
  const OwnError* const error = own(args->error);
  if (error == nullptr) return cpu().PJRT_Error_GetCode(args);
  args->code = error->code;
  return nullptr;
}

// ---- the other processes

PJRT_Error* put(const std::string& key, const std::string& value) {
  PJRT_KeyValuePutCallback_Args args{.struct_size = PJRT_KeyValuePutCallback_Args_STRUCT_SIZE,
                                     .key = key.data(),
                                     .key_size = key.size(),
                                     .value = value.data(),
                                     .value_size = value.size(),
                                     .callback_error = &callback_error,
                                     .user_arg = cluster.user_arg};
  return cluster.put(&args);
}

PJRT_Error* get(const std::string& key, std::string& value) {
  PJRT_KeyValueGetCallback_Args args{.struct_size = PJRT_KeyValueGetCallback_Args_STRUCT_SIZE,
                                     .key = key.data(),
                                     .key_size = key.size(),
                                     .timeout_in_ms = 120'000,
                                     .callback_error = &callback_error,
                                     .user_arg = cluster.user_arg};
  if (PJRT_Error* error = cluster.get(&args)) return error;
  value.assign(args.value, args.value_size);
  args.value_deleter_callback(args.value);
  return nullptr;
}

// try_get must return at once for a key that is never stored, with the right error code.
PJRT_Error* check_try_get() {
  const std::string key = "missing";
  PJRT_KeyValueTryGetCallback_Args args{.struct_size = PJRT_KeyValueTryGetCallback_Args_STRUCT_SIZE,
                                        .key = key.data(),
                                        .key_size = key.size(),
                                        .callback_error = &callback_error,
                                        .user_arg = cluster.user_arg};
  PJRT_Error* const error = cluster.try_get(&args);
  const OwnError* const found = own(error);
  if (found == nullptr || found->code != PJRT_Error_Code_NOT_FOUND)
    return make_error("try_get does not return NOT_FOUND");
  PJRT_Error_Destroy_Args destroy{.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = error};
  destroy_error(&destroy);
  return nullptr;
}

// ---- the client

PJRT_Error* create_client(PJRT_Client_Create_Args* args) {
  for (size_t i = 0; i < args->num_options; ++i) {
    const PJRT_NamedValue& option = args->create_options[i];
    const std::string name(option.name, option.name_size);
    if (name == "node_id") cluster.node = option.int64_value;
    if (name == "num_nodes") cluster.nodes = option.int64_value;
    if (name == "visible_devices") cluster.each = static_cast<int64_t>(option.value_size);
  }
  // A launcher may number the processes differently.
  if (std::getenv("CLUSTER_COUNTS_BACKWARDS") != nullptr) cluster.node = cluster.nodes - 1 - cluster.node;
  cluster.get = args->kv_get_callback;
  cluster.put = args->kv_put_callback;
  cluster.try_get = args->kv_try_get_callback;
  cluster.user_arg = args->kv_get_user_arg;
  const std::string name = "cpu_device_count";
  PJRT_NamedValue count{.struct_size = PJRT_NamedValue_STRUCT_SIZE, .name = name.data(), .name_size = name.size()};
  count.type = PJRT_NamedValue_kInt64;
  count.int64_value = cluster.nodes * cluster.each;
  count.value_size = 1;
  PJRT_Client_Create_Args inner{
      .struct_size = PJRT_Client_Create_Args_STRUCT_SIZE, .create_options = &count, .num_options = 1};
  if (PJRT_Error* error = cpu().PJRT_Client_Create(&inner)) return error;
  args->client = cluster.client = inner.client;
  PJRT_Client_Devices_Args devices{.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE, .client = inner.client};
  if (PJRT_Error* error = cpu().PJRT_Client_Devices(&devices)) return error;
  cluster.devices.assign(devices.devices, devices.devices + devices.num_devices);
  if (cluster.nodes == 1) return nullptr;
  if (PJRT_Error* error = check_try_get()) return error;
  if (PJRT_Error* error = put("devices/" + std::to_string(cluster.node), std::to_string(cluster.each))) return error;
  for (int64_t node = 0; node < cluster.nodes; ++node) {
    std::string each;
    if (PJRT_Error* error = get("devices/" + std::to_string(node), each)) return error;
    if (each != std::to_string(cluster.each)) return make_error("process " + std::to_string(node) + " has " + each);
  }
  return nullptr;
}

PJRT_Error* platform_name(PJRT_Client_PlatformName_Args* args) {
  args->platform_name = "cuda";
  args->platform_name_size = 4;
  return nullptr;
}

PJRT_Error* process_index(PJRT_Client_ProcessIndex_Args* args) {
  args->process_index = static_cast<int>(cluster.node);
  return nullptr;
}

PJRT_Error* process_of_device(PJRT_DeviceDescription_ProcessIndex_Args* args) {
  PJRT_DeviceDescription_Id_Args id{.struct_size = PJRT_DeviceDescription_Id_Args_STRUCT_SIZE,
                                    .device_description = args->device_description};
  if (PJRT_Error* error = cpu().PJRT_DeviceDescription_Id(&id)) return error;
  args->process_index = static_cast<int>(id.id / cluster.each);
  return nullptr;
}

PJRT_Error* own_devices(PJRT_Client_AddressableDevices_Args* args) {
  args->addressable_devices = cluster.devices.data() + cluster.node * cluster.each;
  args->num_addressable_devices = static_cast<size_t>(cluster.each);
  return nullptr;
}

PJRT_Error* from_host(PJRT_Client_BufferFromHostBuffer_Args* args) {
  const auto place = std::ranges::find(cluster.devices, args->device) - cluster.devices.begin();
  if (place / cluster.each != cluster.node) return make_error("a device of another process");
  return cpu().PJRT_Client_BufferFromHostBuffer(args);
}

// ---- programs

PJRT_Error* own_devices_of_program(PJRT_LoadedExecutable_AddressableDevices_Args* args) {
  if (PJRT_Error* error = cpu().PJRT_LoadedExecutable_AddressableDevices(args)) return error;
  if (args->num_addressable_devices != cluster.devices.size())
    return make_error("a program that is not for all devices");
  args->addressable_devices += cluster.node * cluster.each;
  args->num_addressable_devices = static_cast<size_t>(cluster.each);
  return nullptr;
}

PJRT_Error* wait(PJRT_Event* event) {
  PJRT_Event_Await_Args args{.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE, .event = event};
  PJRT_Error* const error = cpu().PJRT_Event_Await(&args);
  PJRT_Event_Destroy_Args destroy{.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = event};
  cpu().PJRT_Event_Destroy(&destroy);
  return error;
}

// The bytes of a device's arrays, concatenated.
PJRT_Error* read(PJRT_Buffer* const* buffers, size_t count, std::string& bytes) {
  for (size_t i = 0; i < count; ++i) {
    PJRT_Buffer_ToHostBuffer_Args args{.struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE, .src = buffers[i]};
    if (PJRT_Error* error = cpu().PJRT_Buffer_ToHostBuffer(&args)) return error;
    const size_t begin = bytes.size();
    bytes.resize(begin + args.dst_size);
    args.dst = bytes.data() + begin;
    if (PJRT_Error* error = cpu().PJRT_Buffer_ToHostBuffer(&args)) return error;
    if (PJRT_Error* error = wait(args.event)) return error;
  }
  return nullptr;
}

// Creates arrays on a device with the types of the arrays in `like`, from the next bytes.
PJRT_Error* write(PJRT_Buffer* const* like, size_t count, int64_t device, const char*& bytes,
                  std::vector<PJRT_Buffer*>& made) {
  for (size_t i = 0; i < count; ++i) {
    PJRT_Buffer_ElementType_Args type{.struct_size = PJRT_Buffer_ElementType_Args_STRUCT_SIZE, .buffer = like[i]};
    PJRT_Buffer_Dimensions_Args shape{.struct_size = PJRT_Buffer_Dimensions_Args_STRUCT_SIZE, .buffer = like[i]};
    PJRT_Buffer_ToHostBuffer_Args size{.struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE, .src = like[i]};
    if (PJRT_Error* error = cpu().PJRT_Buffer_ElementType(&type)) return error;
    if (PJRT_Error* error = cpu().PJRT_Buffer_Dimensions(&shape)) return error;
    if (PJRT_Error* error = cpu().PJRT_Buffer_ToHostBuffer(&size)) return error;
    PJRT_Client_BufferFromHostBuffer_Args args{
        .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
        .client = cluster.client,
        .data = bytes,
        .type = type.type,
        .dims = shape.dims,
        .num_dims = shape.num_dims,
        .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
        .device = cluster.devices[static_cast<size_t>(device)]};
    if (PJRT_Error* error = cpu().PJRT_Client_BufferFromHostBuffer(&args)) return error;
    if (PJRT_Error* error = wait(args.done_with_host_buffer)) return error;
    made.push_back(args.buffer);
    bytes += size.dst_size;
  }
  return nullptr;
}

void destroy(const std::vector<PJRT_Buffer*>& buffers) {
  for (PJRT_Buffer* buffer : buffers) {
    PJRT_Buffer_Destroy_Args args{.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE, .buffer = buffer};
    cpu().PJRT_Buffer_Destroy(&args);
  }
}

PJRT_Error* count_of_results(PJRT_LoadedExecutable* program, size_t& count) {
  PJRT_LoadedExecutable_GetExecutable_Args executable{
      .struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE, .loaded_executable = program};
  if (PJRT_Error* error = cpu().PJRT_LoadedExecutable_GetExecutable(&executable)) return error;
  PJRT_Executable_NumOutputs_Args outputs{.struct_size = PJRT_Executable_NumOutputs_Args_STRUCT_SIZE,
                                          .executable = executable.executable};
  if (PJRT_Error* error = cpu().PJRT_Executable_NumOutputs(&outputs)) return error;
  count = outputs.num_outputs;
  PJRT_Executable_Destroy_Args destroy{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                       .executable = executable.executable};
  return cpu().PJRT_Executable_Destroy(&destroy);
}

PJRT_Error* execute(PJRT_LoadedExecutable_Execute_Args* args) {
  if (static_cast<int64_t>(args->num_devices) != cluster.each) return make_error("arguments of other devices");
  if (cluster.nodes == 1) return cpu().PJRT_LoadedExecutable_Execute(args);
  const std::string run = "run/" + std::to_string(cluster.runs++) + "/";
  std::string own;
  for (size_t device = 0; device < args->num_devices; ++device) {
    if (PJRT_Error* error = read(args->argument_lists[device], args->num_args, own)) return error;
  }
  if (PJRT_Error* error = put(run + std::to_string(cluster.node), own)) return error;
  size_t results = 0;
  if (PJRT_Error* error = count_of_results(args->executable, results)) return error;
  const size_t all = cluster.devices.size();
  std::vector<std::vector<PJRT_Buffer*>> inputs(all), outputs(all);
  std::vector<PJRT_Buffer* const*> input_lists(all);
  std::vector<PJRT_Buffer**> output_lists(all);
  for (int64_t node = 0; node < cluster.nodes; ++node) {
    std::string theirs;
    if (node != cluster.node) {
      if (PJRT_Error* error = get(run + std::to_string(node), theirs)) return error;
      if (theirs.size() != own.size()) return make_error("process " + std::to_string(node) + " runs another program");
    }
    const char* bytes = theirs.data();
    for (int64_t i = 0; i < cluster.each; ++i) {
      const auto device = static_cast<size_t>(node * cluster.each + i);
      if (node == cluster.node) {
        input_lists[device] = args->argument_lists[i];
        output_lists[device] = args->output_lists[i];
        continue;
      }
      if (PJRT_Error* error =
              write(args->argument_lists[0], args->num_args, node * cluster.each + i, bytes, inputs[device])) {
        return error;
      }
      outputs[device].resize(results);
      input_lists[device] = inputs[device].data();
      output_lists[device] = outputs[device].data();
    }
  }
  PJRT_LoadedExecutable_Execute_Args of_all = *args;
  of_all.argument_lists = input_lists.data();
  of_all.output_lists = output_lists.data();
  of_all.num_devices = all;
  PJRT_Error* const error = cpu().PJRT_LoadedExecutable_Execute(&of_all);
  for (const auto& buffers : inputs) destroy(buffers);
  if (error != nullptr) return error;
  for (const auto& buffers : outputs) destroy(buffers);
  return nullptr;
}

PJRT_Api api_of_cluster() {
  PJRT_Api api = cpu();
  api.PJRT_Error_Destroy = destroy_error;
  api.PJRT_Error_Message = error_message;
  api.PJRT_Error_GetCode = error_code;
  api.PJRT_Client_Create = create_client;
  api.PJRT_Client_PlatformName = platform_name;
  api.PJRT_Client_ProcessIndex = process_index;
  api.PJRT_Client_AddressableDevices = own_devices;
  api.PJRT_Client_BufferFromHostBuffer = from_host;
  api.PJRT_DeviceDescription_ProcessIndex = process_of_device;
  api.PJRT_LoadedExecutable_AddressableDevices = own_devices_of_program;
  api.PJRT_LoadedExecutable_Execute = execute;
  return api;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = api_of_cluster();
  return &api;
}
