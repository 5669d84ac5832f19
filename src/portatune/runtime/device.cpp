#include "portatune/device.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/kernels/cpu/registry.h"
#include "portatune/runtime/cpu_kernels.h"
#include "portatune/runtime/device_name.h"
#include "portatune/runtime/local_devices.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/runtime/open_client.h"
#include "portatune/runtime/pjrt/buffer.h"
#include "portatune/runtime/pjrt/cache/executable_cache.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "portatune/runtime/pjrt/client.h"
#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/pjrt/ffi.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "portatune/runtime/saved_programs.h"
#include "portatune/runtime/sharded_array.h"
#include "portatune/runtime/target.h"

namespace portatune {
namespace {

std::optional<std::filesystem::path> if_named(const std::filesystem::path& path) {
  return path.empty() ? std::nullopt : std::optional(path);
}

std::optional<DeviceMemory> memory_of(const pjrt::Client& client, size_t device) {
  const std::optional<pjrt::MemoryUse> use = client.memory_use(device);
  if (!use) return {};
  return DeviceMemory{.in_use_bytes = use->in_use, .limit_bytes = use->limit};
}

std::map<std::string, std::string> numerics_of(const pjrt::Client& client, const std::string& platform,
                                               const DeviceOptions& options) {
  const ProgramOrigin origin = origin_of(client.plugin(), platform, options.use_kernels);
  const bool is_cpu = platform == "cpu";
  return {{"plugin", origin.plugin},
          {"kernels", is_cpu                    ? origin.kernels
                      : options.cudnn_attention ? "cuDNN attention"
                                                : "none"},
          {"flags", origin.flags.empty() ? "none" : origin.flags},
          {"instruction set", is_cpu ? kernels::cpu_instruction_set() : client.devices().front().kind}};
}

constexpr size_t kMaxKept = 32;  // a run has a few programs for each shape of its batches

// The newest executables of a device, so that a further run on it neither compiles nor loads an equal program. Several
// threads may use it.
class NewestExecutables {
 public:
  std::optional<pjrt::LoadedExecutable> find(std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, io::hash_of(text), [](const auto& entry) { return entry.first; });
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(std::string_view text, const pjrt::LoadedExecutable& executable) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() == kMaxKept) kept_.pop_front();
    kept_.emplace_back(io::hash_of(text), executable);
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<uint64_t, pjrt::LoadedExecutable>> kept_;  // by the hash of the program
};

}  // namespace

struct Device::Impl {
  explicit Impl(const DeviceOptions& options) : Impl(options, device_name(options.device)) {}
  Impl(const DeviceOptions& options, const DeviceName& name)
      : client(open_client(options, name)),
        mesh(options.mesh),
        processes(options.processes),
        is_cpu(name.platform == "cpu"),
        by_custom_calls(is_cpu && processes != nullptr),
        devices(by_custom_calls ? MeshDevices{.ids = {client.devices().front().id}, .local_indices = {0}}
                                : find_mesh_devices(client, mesh, processes.get())),
        target(target_for(name.platform, options)),
        cache({.folder = if_named(options.cache_folder),
               // The compilers of several processes tune programs for their GPUs together: all must take part.
               .enabled = options.use_cache && (processes == nullptr || name.platform != "cuda"),
               .version = is_cpu ? kernels::cpu_kernels_version() : ""}),
        numerics(numerics_of(client, name.platform, options)),
        warn(options.warn) {
    if (is_cpu) {
      const int64_t type = register_cpu_kernels(client.plugin());
      if (by_custom_calls) {  // programs exchange on their own threads, and therefore need their own group
        exchanges = std::make_shared<pjrt::ExecuteContext>(client.plugin(), type, processes->duplicate());
      }
    }
    if (!options.programs_folder.empty()) {
      saved.emplace(options.programs_folder, origin_of(client.plugin(), name.platform, options.use_kernels));
    }
  }

  void warn_once(std::once_flag& warned, const std::string& text) {
    if (warn) std::call_once(warned, [&] { warn(text); });
  }

  Program program(pjrt::LoadedExecutable executable, Program::Facts facts) const {
    executable.set_context(exchanges);
    return {std::make_unique<pjrt::LoadedExecutable>(std::move(executable)), std::move(facts)};
  }

  // The program from programs_folder, if it is there.
  std::optional<pjrt::LoadedExecutable> load_saved(std::string_view text, const pjrt::CompileOptions& options) {
    if (!saved) return {};
    std::optional<pjrt::LoadedExecutable> found;
    std::string why = "it is not among the saved programs";
    try {
      found = saved->load(client, text, options);
    } catch (const pjrt::CallError& error) {
      why = error.report().where;
    }
    if (!found) warn_once(warned_of_missing, "a program is compiled here: " + why);
    return found;
  }

  pjrt::CachedExecutable load_or_compile(std::string_view text, const pjrt::CompileOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    if (std::optional<pjrt::LoadedExecutable> found = load_saved(text, options)) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return {.executable = std::move(*found), .was_cached = true, .seconds = seconds, .fault = {}};
    }
    return cache.get_or_compile(client, text, options);
  }

  pjrt::CachedExecutable find_or_compile(std::string_view text, const pjrt::CompileOptions& options) {
    if (auto executable = newest.find(text)) {
      return {.executable = std::move(*executable), .was_cached = true, .seconds = 0, .fault = {}};
    }
    pjrt::CachedExecutable compiled = load_or_compile(text, options);
    newest.add(text, compiled.executable);
    return compiled;
  }

  pjrt::Client client;
  const Mesh mesh;
  const std::shared_ptr<ProcessGroup> processes;
  const bool is_cpu;
  const bool by_custom_calls;  // programs are for one device, and exchange by custom calls
  // The process group of the custom calls, whose exchanges are independent of those of `processes`. Shared with the
  // programs, which may outlive the device.
  std::shared_ptr<const pjrt::ExecuteContext> exchanges;
  const MeshDevices devices;
  Target target;
  pjrt::ExecutableCache cache;
  const std::map<std::string, std::string> numerics;
  const std::function<void(const std::string&)> warn;
  std::optional<SavedPrograms> saved;
  NewestExecutables newest;
  std::once_flag warned_of_cache, warned_of_missing;
};

Device::Device(const DeviceOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

const Target& Device::target() const { return impl_->target; }
const Mesh& Device::mesh() const { return impl_->mesh; }
ProcessGroup* Device::processes() const { return impl_->processes.get(); }

DeviceFacts Device::facts() const {
  DeviceFacts facts{.platform = impl_->client.platform_name(),
                    .plugin = impl_->client.plugin().file(),
                    .version = to_string(impl_->client.plugin().version()),
                    .kernels_version = impl_->is_cpu ? kernels::cpu_kernels_version() : "",
                    .numerics = impl_->numerics};
  for (const pjrt::Device& device : impl_->client.devices()) {
    facts.memory.push_back(impl_->is_cpu ? machine_memory() : memory_of(impl_->client, facts.devices.size()));
    const bool names_kind = device.description.find(device.kind) != std::string::npos || impl_->is_cpu;
    facts.devices.push_back(names_kind ? device.description : device.kind + ", " + device.description);
  }
  return facts;
}

Program Device::compile(const Function& function) const {
  if (function.mesh != mesh()) {
    throw UsageError({.where = "compiling a program",
                      .given = "a program for the mesh " + to_string(function.mesh),
                      .expected = "a program for " + to_string(mesh()) + ", the mesh of the device"});
  }
  const size_t results = function.results.size();
  std::vector<Sharding> shardings = function.result_shardings;
  if (shardings.empty()) shardings.resize(results);
  if (shardings.size() != results) {
    throw UsageError({.where = "compiling a program",
                      .given = std::to_string(shardings.size()) + " shardings of results",
                      .expected = "none, or one for each of the " + std::to_string(results)});
  }
  // Device d of the mesh is ids[d]; the plugin might choose another order.
  pjrt::CompileOptions options{.replicas = std::ssize(impl_->devices.ids),
                               .xla_options = xla_options_for(impl_->client.platform_name(), mesh())};
  if (options.replicas > 1) options.device_ids = impl_->devices.ids;
  Program::Facts facts{.mesh = mesh(),
                       .processes = impl_->processes,
                       .one_at_a_time = impl_->by_custom_calls,
                       .result_shardings = std::move(shardings)};
  const Unwatched compiling;
  const std::string text = to_stablehlo(function, impl_->target);
  pjrt::CachedExecutable compiled = impl_->find_or_compile(text, options);
  if (!compiled.fault.empty()) {
    impl_->warn_once(impl_->warned_of_cache, "compiled programs are not cached: " + compiled.fault);
  }
  facts.from_cache = compiled.was_cached;
  facts.seconds = compiled.seconds;
  return impl_->program(std::move(compiled.executable), std::move(facts));
}

DeviceArray Device::put(const TensorView& values, const Sharding& sharding) const {
  const TensorType part = part_of(values.type, sharding, mesh());
  const int64_t parts = mesh().size(sharding.over);
  std::optional<Tensor> interleaved;
  if (sharding.blocks > 1 && parts > 1) {
    interleaved = interleave(values, sharding.axis, sharding.blocks, mesh().size({sharding.over.front()}));
  }
  const TensorView whole = interleaved ? interleaved->view() : values;
  std::vector<pjrt::Buffer> buffers;
  for (const int64_t device : local_devices(mesh(), processes())) {
    const auto copy = [&](const TensorView& view) {
      buffers.push_back(impl_->client.copy_to_device(view, impl_->devices.local_indices[buffers.size()]));
    };
    const int64_t index = mesh().index(device, sharding.over);
    if (parts == 1 || sharding.axis == 0) {  // the part is contiguous in the whole
      copy({part, whole.data + index * part.bytes()});
    } else {
      copy(part_at(whole, sharding.axis, parts, index).view());
    }
  }
  return DeviceArray(std::make_unique<ShardedArray>(mesh(), impl_->processes, sharding, std::move(buffers)));
}

DeviceArray Device::put(Tensor&& values, const Sharding& sharding) const {
  if (mesh().devices() > 1) return put(values.view(), sharding);
  std::vector<pjrt::Buffer> buffers;
  buffers.push_back(impl_->client.move_to_device(std::move(values)));
  return DeviceArray(std::make_unique<ShardedArray>(mesh(), impl_->processes, sharding, std::move(buffers)));
}

DeviceArray::DeviceArray(std::unique_ptr<ShardedArray> array) : array_(std::move(array)) {}
DeviceArray::DeviceArray(DeviceArray&&) noexcept = default;
DeviceArray& DeviceArray::operator=(DeviceArray&&) noexcept = default;
DeviceArray::~DeviceArray() = default;

const TensorType& DeviceArray::type() const { return array_->type(); }
bool DeviceArray::is_divided() const { return array_->is_divided(); }
Tensor DeviceArray::to_host(Tensor memory) const { return array_->to_host(std::move(memory)); }
void DeviceArray::on_ready(std::function<void()> done) const { array_->on_ready(std::move(done)); }

Program::Program(std::unique_ptr<pjrt::LoadedExecutable> executable, Facts facts)
    : executable_(std::move(executable)), facts_(std::move(facts)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

std::vector<DeviceArray> Program::run(const std::vector<DeviceArray*>& arguments) const {
  for (const DeviceArray* argument : arguments) {
    if (argument->array_->mesh() == facts_.mesh) continue;
    throw UsageError({.where = "running a program",
                      .given = "an array on the mesh " + to_string(argument->array_->mesh()),
                      .expected = "arrays on " + to_string(facts_.mesh) + ", the mesh of the program"});
  }
  const int64_t own = devices_of_each(facts_.mesh, facts_.processes.get());
  std::vector<std::vector<pjrt::Buffer*>> on_devices(static_cast<size_t>(own));
  for (const DeviceArray* argument : arguments) {
    std::vector<pjrt::Buffer>& buffers = argument->array_->buffers();
    for (size_t i = 0; i < on_devices.size(); ++i) on_devices[i].push_back(&buffers[i]);
  }
  std::vector<std::vector<pjrt::Buffer>> found = executable_->execute_on_all(on_devices);
  if (facts_.one_at_a_time) {
    for (const pjrt::Buffer& buffer : found.front()) buffer.wait();
  }
  std::vector<DeviceArray> results;
  for (size_t i = 0; i < facts_.result_shardings.size(); ++i) {
    std::vector<pjrt::Buffer> buffers;
    for (std::vector<pjrt::Buffer>& of_device : found) buffers.push_back(std::move(of_device[i]));
    results.emplace_back(
        std::make_unique<ShardedArray>(facts_.mesh, facts_.processes, facts_.result_shardings[i], std::move(buffers)));
  }
  return results;
}

}  // namespace portatune
