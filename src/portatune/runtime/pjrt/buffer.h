// Arrays on a device.
#pragma once

#include <functional>
#include <memory>

#include "portatune/runtime/pjrt/event.h"
#include "portatune/tensor.h"

struct PJRT_Buffer;

namespace portatune::pjrt {

struct ClientState;
struct Device;

/// An unfinished transfer to the host. Destruction waits for it.
class PendingTensor {
 public:
  PendingTensor(Tensor tensor, Event done) : tensor_(std::move(tensor)), done_(std::move(done)) {}
  ~PendingTensor();
  PendingTensor(PendingTensor&&) = default;
  PendingTensor& operator=(PendingTensor&&) = delete;

  bool is_ready() const { return done_.is_ready(); }
  /// Waits and returns the array. CallError if the transfer or the computation of the array has failed.
  Tensor get() &&;

 private:
  Tensor tensor_;
  Event done_;
};

/// An array on a device, whose computation may be unfinished. Executing a program deletes the buffers of its donated
/// parameters.
class Buffer {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  Buffer(std::shared_ptr<const ClientState> client, PJRT_Buffer* handle, TensorType type);

  const TensorType& type() const { return type_; }
  const Device& device() const;
  /// True if its memory has been donated to an executed program. Any use except destruction is then an error.
  bool is_deleted() const;

  /// The elements in row-major order. Waits until they are computed.
  /// memory    a tensor of the same type, whose memory the result takes; others are ignored
  /// errors    UsageError if the buffer is deleted; CallError if the program that computes them has failed
  Tensor to_host(Tensor memory = {}) const;
  PendingTensor to_host_async(Tensor memory = {}) const;
  /// Waits until the elements are computed.
  void wait() const;
  /// Calls `done` once, when the computation of the elements has finished or failed: on a thread of the plugin, or at
  /// once. `done` must be fast and must not throw.
  void on_ready(std::function<void()> done) const;

  PJRT_Buffer* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    std::shared_ptr<const ClientState> client;
    void operator()(PJRT_Buffer* buffer) const;
  };
  const ClientState& client() const { return *handle_.get_deleter().client; }
  void require_alive() const;

  std::unique_ptr<PJRT_Buffer, Destroy> handle_;
  TensorType type_;
};

}  // namespace portatune::pjrt
