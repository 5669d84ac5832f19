#include "portatune/runtime/pjrt/buffer.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/c_api.h"
#include "portatune/runtime/pjrt/client_state.h"

namespace portatune::pjrt {
namespace {

// The row-major layout. Without a requested layout, devices may return arrays in their own order.
std::vector<int64_t> row_major(int64_t rank) {
  std::vector<int64_t> minor_to_major;
  for (int64_t axis = rank - 1; axis >= 0; --axis) minor_to_major.push_back(axis);
  return minor_to_major;
}

// The function to call when an event has happened.
struct Watch {
  const PJRT_Api* api;
  std::function<void()> done;
};

void end_watch(PJRT_Error* error, void* watch) {
  const std::unique_ptr<Watch> ended(static_cast<Watch*>(watch));
  discard(*ended->api, error);  // reading the buffer reports the same error
  ended->done();
}

}  // namespace

PendingTensor::~PendingTensor() {
  if (done_.handle() == nullptr) return;
  try {
    done_.wait();  // the device writes into tensor_ until then
  } catch (const Error&) {
    // The error is dropped, because the array was not requested.
  }
}

Tensor PendingTensor::get() && {
  done_.wait();
  return std::move(tensor_);
}

void Buffer::Destroy::operator()(PJRT_Buffer* buffer) const {
  PORTATUNE_PJRT_DESTROY(client->api, PJRT_Buffer_Destroy, .buffer = buffer);
}

Buffer::Buffer(std::shared_ptr<const ClientState> client, PJRT_Buffer* handle, TensorType type)
    : handle_(handle, Destroy{std::move(client)}), type_(std::move(type)) {}

const Device& Buffer::device() const {
  const PJRT_Device* device = PORTATUNE_PJRT(client().api, PJRT_Buffer_Device, .buffer = handle()).device;
  const auto& handles = client().device_handles;
  const auto found = std::find(handles.begin(), handles.end(), device);
  return client().devices[static_cast<size_t>(found - handles.begin())];
}

bool Buffer::is_deleted() const {
  return PORTATUNE_PJRT(client().api, PJRT_Buffer_IsDeleted, .buffer = handle()).is_deleted;
}

void Buffer::require_alive() const {
  if (!is_deleted()) return;
  throw UsageError({.where = "device buffer",
                    .given = "a " + to_string(type_) + " whose memory was donated to a program",
                    .expected = "a buffer that is alive",
                    .fix = "use the program's result in its place"});
}

Tensor Buffer::to_host(Tensor memory) const { return to_host_async(std::move(memory)).get(); }

PendingTensor Buffer::to_host_async(Tensor memory) const {
  require_alive();
  Tensor tensor = memory.data() != nullptr && memory.type() == type_ ? std::move(memory) : Tensor(type_);
  const std::vector<int64_t> order = row_major(type_.shape.rank());
  PJRT_Buffer_MemoryLayout layout{.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                  .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                                            .minor_to_major = order.data(),
                                            .minor_to_major_size = order.size()},
                                  .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  const auto copy = PORTATUNE_PJRT(client().api, PJRT_Buffer_ToHostBuffer, .src = handle(), .host_layout = &layout,
                                   .dst = tensor.data(), .dst_size = static_cast<size_t>(type_.bytes()));
  return {std::move(tensor), Event(client().api, copy.event)};
}

void Buffer::wait() const {
  require_alive();
  const auto ready = PORTATUNE_PJRT(client().api, PJRT_Buffer_ReadyEvent, .buffer = handle());
  Event(client().api, ready.event).wait();
}

void Buffer::on_ready(std::function<void()> done) const {
  require_alive();
  const auto made = PORTATUNE_PJRT(client().api, PJRT_Buffer_ReadyEvent, .buffer = handle());
  const Event ready(client().api, made.event);
  auto watch = std::make_unique<Watch>(Watch{&client().api, std::move(done)});
  PORTATUNE_PJRT(client().api, PJRT_Event_OnReady, .event = ready.handle(), .callback = end_watch,
                 .user_arg = watch.get());
  watch.release();  // end_watch deletes it
}

}  // namespace portatune::pjrt
