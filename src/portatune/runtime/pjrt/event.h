// Completion of work on a device.
#pragma once

#include <memory>

struct PJRT_Api;
struct PJRT_Event;

namespace portatune::pjrt {

/// The completion of a transfer or an execution.
class Event {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  Event(const PJRT_Api& api, PJRT_Event* handle) : handle_(handle, Destroy{&api}) {}

  /// Waits until the work has finished. CallError if it has failed.
  void wait() const;
  bool is_ready() const;
  PJRT_Event* handle() const { return handle_.get(); }

 private:
  struct Destroy {
    const PJRT_Api* api;
    void operator()(PJRT_Event* event) const;
  };
  std::unique_ptr<PJRT_Event, Destroy> handle_;
};

}  // namespace portatune::pjrt
