#include <algorithm>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/buffer.h"
#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/client_state.h"
#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/pjrt/ffi.h"

namespace portatune::pjrt {
namespace {

std::string argument(size_t index) { return "argument " + std::to_string(index) + " of an executable"; }

void check_alive(const Buffer& buffer, size_t index) {
  if (!buffer.is_deleted()) return;
  throw UsageError({.where = argument(index),
                    .given = "a " + to_string(buffer.type()) + " whose memory was donated to an earlier execution",
                    .expected = "a buffer that is alive",
                    .fix = "pass the result that replaced it"});
}

void check_type(const TensorType& given, const TensorType& expected, size_t index) {
  if (given == expected) return;
  throw ShapeError({.where = argument(index), .given = to_string(given), .expected = to_string(expected)});
}

// Checks only the element type: the shapes of partitions follow from the module's annotations.
void check_dtype(const TensorType& given, const TensorType& expected, size_t index) {
  if (given.dtype == expected.dtype && given.shape.rank() == expected.shape.rank()) return;
  throw ShapeError(
      {.where = argument(index), .given = to_string(given), .expected = "a partition of " + to_string(expected)});
}

struct Destroy {
  std::shared_ptr<const ClientState> client;
  void operator()(PJRT_LoadedExecutable* executable) const {
    PORTATUNE_PJRT_DESTROY(client->api, PJRT_LoadedExecutable_Destroy, .executable = executable);
  }
};

}  // namespace

LoadedExecutable::LoadedExecutable(std::shared_ptr<const ClientState> client, PJRT_LoadedExecutable* handle,
                                   std::string_view module_text, const CompileOptions& options)
    : client_(std::move(client)),
      handle_(handle, Destroy{client_}),
      executable_(std::make_shared<const Executable>(
          client_->api,
          PORTATUNE_PJRT(client_->api, PJRT_LoadedExecutable_GetExecutable, .loaded_executable = handle).executable)),
      devices_(PORTATUNE_PJRT(client_->api, PJRT_LoadedExecutable_AddressableDevices, .executable = handle)
                   .num_addressable_devices),
      parameters_(read_parameters(module_text)),
      whole_arrays_(options.partitions == 1) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].donated) donated_.push_back(static_cast<int64_t>(i));
  }
}

void LoadedExecutable::check_arguments(DeviceArguments arguments, Donation donation) const {
  if (arguments.size() != parameters_.size()) {
    throw UsageError({.where = "arguments of an executable",
                      .given = std::to_string(arguments.size()),
                      .expected = std::to_string(parameters_.size())});
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    check_alive(*arguments[i], i);
    const auto check = whole_arrays_ ? check_type : check_dtype;
    check(arguments[i]->type(), parameters_[i].type, i);
  }
  if (donation == Donation::kOff) return;
  for (const int64_t i : donated_) {
    if (std::count(arguments.begin(), arguments.end(), arguments[static_cast<size_t>(i)]) == 1) continue;
    throw UsageError({.where = argument(static_cast<size_t>(i)),
                      .given = "a donated buffer that is also another argument",
                      .expected = "a separate buffer for each donated argument"});
  }
}

std::vector<std::vector<Buffer>> LoadedExecutable::start(std::span<const DeviceArguments> arguments,
                                                         Donation donation) const {
  if (arguments.size() != devices_) {
    throw UsageError({.where = "execution of a program",
                      .given = "arguments for " + std::to_string(arguments.size()) + " devices",
                      .expected = "arguments for " + std::to_string(devices_) + ", the number it was compiled for"});
  }
  const std::vector<TensorType>& types = executable_->result_types();
  std::vector<std::vector<PJRT_Buffer*>> inputs(arguments.size());
  std::vector<std::vector<PJRT_Buffer*>> outputs(arguments.size(), std::vector<PJRT_Buffer*>(types.size()));
  std::vector<PJRT_Buffer* const*> input_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t device = 0; device < arguments.size(); ++device) {
    check_arguments(arguments[device], donation);
    for (const Buffer* buffer : arguments[device]) inputs[device].push_back(buffer->handle());
    input_lists.push_back(inputs[device].data());
    output_lists.push_back(outputs[device].data());
  }
  PJRT_ExecuteOptions options{.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                              .context = context_ == nullptr ? nullptr : context_->handle()};
  if (donation == Donation::kOff) {
    options.non_donatable_input_indices = donated_.data();
    options.num_non_donatable_input_indices = donated_.size();
  }
  PORTATUNE_PJRT(client_->api, PJRT_LoadedExecutable_Execute, .executable = handle_.get(), .options = &options,
                 .argument_lists = input_lists.data(), .num_devices = arguments.size(), .num_args = parameters_.size(),
                 .output_lists = output_lists.data());
  std::vector<std::vector<Buffer>> results(arguments.size());
  for (size_t device = 0; device < arguments.size(); ++device) {
    for (size_t i = 0; i < types.size(); ++i) results[device].emplace_back(client_, outputs[device][i], types[i]);
  }
  return results;
}

std::vector<Buffer> LoadedExecutable::execute(std::span<Buffer* const> arguments) const {
  const std::vector<const Buffer*> pointers(arguments.begin(), arguments.end());
  const DeviceArguments on_the_device(pointers);
  return std::move(start({&on_the_device, 1}, Donation::kOn).front());
}

std::vector<Buffer> LoadedExecutable::execute_without_donation(std::span<const Buffer* const> arguments) const {
  return std::move(start({&arguments, 1}, Donation::kOff).front());
}

std::vector<std::vector<Buffer>> LoadedExecutable::execute_on_all(
    std::span<const std::vector<Buffer*>> arguments) const {
  std::vector<DeviceArguments> on_devices;
  for (const std::vector<Buffer*>& of_device : arguments) {
    const Buffer* const* buffers = of_device.data();
    on_devices.emplace_back(buffers, of_device.size());
  }
  return start(on_devices, Donation::kOn);
}

}  // namespace portatune::pjrt
