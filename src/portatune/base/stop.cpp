#include "portatune/base/stop.h"

#include <atomic>

namespace portatune {
namespace {

std::atomic<bool> requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // required in signal handlers

}  // namespace

void request_stop(bool wanted) noexcept { requested = wanted; }
bool stop_requested() noexcept { return requested; }
void stop_if_requested() {
  if (requested) throw Stopped();
}

}  // namespace portatune
