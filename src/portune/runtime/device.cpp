#include "portune/device.h"

#include <mutex>

#include "portune/error.h"
#include "portune/kernels/cpu/registry.h"
#include "portune/pjrt/buffer.h"
#include "portune/pjrt/call_error.h"
#include "portune/pjrt/client.h"
#include "portune/pjrt/executable.h"
#include "portune/pjrt/executable_cache.h"
#include "portune/pjrt/plugin.h"
#include "portune/runtime/cpu_kernels.h"
#include "portune/runtime/device_name.h"

namespace portune {
namespace {

std::optional<std::filesystem::path> if_named(const std::filesystem::path& path) {
  return path.empty() ? std::nullopt : std::optional(path);
}

// The plugin, and hence all of Portune, sees one device alone: the first that it finds, or the GPU that is asked for.
pjrt::Client open_client(const DeviceOptions& options, const DeviceName& name) {
  pjrt::ClientOptions client_options{.plugin_file = if_named(options.plugin)};
  if (name.number) client_options.plugin_options["visible_devices"] = std::vector{*name.number};
  try {
    return pjrt::Client::open(name.platform, client_options);
  } catch (const pjrt::CallError& error) {
    throw DeviceError({.where = "device \"" + options.device + "\"",
                       .given = "none that the plugin can use: " + error.report().where,
                       .expected = "a device of " + name.platform + ", with its driver"});
  }
}

}  // namespace

struct Device::Impl {
  explicit Impl(const DeviceOptions& options) : Impl(options, device_name(options.device)) {}
  Impl(const DeviceOptions& options, const DeviceName& name)
      : client(open_client(options, name)),
        is_cpu(name.platform == "cpu"),
        target(cpu_target(is_cpu && options.use_kernels)),
        cache({.folder = if_named(options.cache_folder),
               .enabled = options.use_cache,
               .version = is_cpu ? kernels::cpu_kernels_version() : ""}),
        warn(options.warn) {
    if (is_cpu) register_cpu_kernels(client.plugin());
  }

  void warn_once(const std::string& fault) {
    if (fault.empty() || !warn) return;
    std::call_once(warned, [&] { warn("compiled programs are not kept: " + fault); });
  }

  pjrt::Client client;
  const bool is_cpu;
  Target target;
  pjrt::ExecutableCache cache;
  const std::function<void(const std::string&)> warn;
  std::once_flag warned;
};

Device::Device(const DeviceOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

const Target& Device::target() const { return impl_->target; }

DeviceFacts Device::facts() const {
  DeviceFacts facts{.platform = impl_->client.platform_name(),
                    .plugin = impl_->client.plugin().file(),
                    .version = to_string(impl_->client.plugin().version()),
                    .kernels_version = impl_->is_cpu ? kernels::cpu_kernels_version() : ""};
  for (const pjrt::Device& device : impl_->client.devices()) facts.devices.push_back(device.description);
  return facts;
}

Program Device::compile(const Function& function) const {
  pjrt::CachedExecutable compiled = impl_->cache.get_or_compile(impl_->client, to_stablehlo(function, impl_->target));
  impl_->warn_once(compiled.fault);
  return {std::make_unique<pjrt::LoadedExecutable>(std::move(compiled.executable)), compiled.was_cached,
          compiled.seconds};
}

DeviceArray Device::put(const TensorView& values) const {
  return DeviceArray(std::make_unique<pjrt::Buffer>(impl_->client.copy_to_device(values)));
}

DeviceArray Device::put(Tensor&& values) const {
  return DeviceArray(std::make_unique<pjrt::Buffer>(impl_->client.move_to_device(std::move(values))));
}

DeviceArray::DeviceArray(std::unique_ptr<pjrt::Buffer> buffer) : buffer_(std::move(buffer)) {}
DeviceArray::DeviceArray(DeviceArray&&) noexcept = default;
DeviceArray& DeviceArray::operator=(DeviceArray&&) noexcept = default;
DeviceArray::~DeviceArray() = default;

const TensorType& DeviceArray::type() const { return buffer_->type(); }
Tensor DeviceArray::to_host() const { return buffer_->to_host(); }
void DeviceArray::on_ready(std::function<void()> done) const { buffer_->on_ready(std::move(done)); }

Program::Program(std::unique_ptr<pjrt::LoadedExecutable> executable, bool from_cache, double seconds)
    : executable_(std::move(executable)), from_cache_(from_cache), seconds_(seconds) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

std::vector<DeviceArray> Program::run(const std::vector<DeviceArray*>& arguments) const {
  std::vector<pjrt::Buffer*> buffers;
  for (const DeviceArray* argument : arguments) buffers.push_back(argument->buffer_.get());
  std::vector<DeviceArray> results;
  for (pjrt::Buffer& result : executable_->execute(buffers)) {
    results.emplace_back(std::make_unique<pjrt::Buffer>(std::move(result)));
  }
  return results;
}

}  // namespace portune
