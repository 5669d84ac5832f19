// Arrays on a device.
#pragma once

#include <functional>
#include <memory>

#include "portatune/pjrt/event.h"
#include "portatune/tensor.h"

struct PJRT_Buffer;

namespace portatune::pjrt {

struct ClientState;
struct Device;

/// A transfer to the host that is under way. Destruction waits for it.
class PendingTensor {
 public:
  PendingTensor(Tensor tensor, Event done) : tensor_(std::move(tensor)), done_(std::move(done)) {}
  ~PendingTensor();
  PendingTensor(PendingTensor&&) = default;
  PendingTensor& operator=(PendingTensor&&) = delete;

  bool is_ready() const { return done_.is_ready(); }
  /// Waits, and gives the array. CallError if the transfer or what computes the array has failed.
  Tensor get() &&;

 private:
  Tensor tensor_;
  Event done_;
};

/// An array on a device, possibly one that is still being computed. Executing a program that donates a parameter
/// deletes the buffer given for it.
class Buffer {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  Buffer(std::shared_ptr<const ClientState> client, PJRT_Buffer* handle, TensorType type);

  const TensorType& type() const { return type_; }
  const Device& device() const;
  /// Whether its memory has been donated to an executed program. All but destruction is then an error.
  bool is_deleted() const;

  /// The elements, in row-major order. Waits until they are computed; an error of the program that computes them
  /// arises here.
  /// errors    UsageError if the buffer is deleted; CallError
  Tensor to_host() const;
  PendingTensor to_host_async() const;
  /// Waits until the elements are computed.
  void wait() const;
  /// Calls `done` once, when the elements are computed or have failed to be: on a thread of the plugin, or at once. It
  /// may neither throw nor take long.
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
