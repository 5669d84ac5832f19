#include "portatune/base/threads/watchdog.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace portatune {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kLooks = 20;  // minimal number of looks within the timeout

std::atomic<uint64_t> progress = 0;
std::atomic<int> unwatched = 0;

milliseconds between_looks(milliseconds timeout) {
  return std::clamp<milliseconds>(timeout / kLooks, milliseconds(1), milliseconds(1000));
}

}  // namespace

void note_progress() noexcept { progress.fetch_add(1, std::memory_order_relaxed); }

Unwatched::Unwatched() noexcept { ++unwatched; }
Unwatched::~Unwatched() { --unwatched; }

bool HangDetector::is_hang(uint64_t now, bool is_unwatched) {
  const bool is_silent = now == last_ && !is_unwatched;
  last_ = now;
  silent_ = is_silent ? silent_ + 1 : 0;
  return silent_ >= looks_;
}

Watchdog::Watchdog(milliseconds timeout, std::function<void()> on_hang)
    : timeout_(timeout), on_hang_(std::move(on_hang)), thread_([this](const std::stop_token& end) { watch(end); }) {}

// Counts looks and reads no clock: when a stopped process continues, the clock has moved although no work was possible.
void Watchdog::watch(const std::stop_token& end) {
  const milliseconds interval = between_looks(timeout_);
  HangDetector detector(std::max<int64_t>(1, timeout_ / interval));
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait_for(lock, end, interval, [] { return false; });
    if (end.stop_requested()) return;
    if (!detector.is_hang(progress, unwatched > 0)) continue;
    on_hang_();
    return;
  }
}

}  // namespace portatune
