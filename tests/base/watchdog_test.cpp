#include "portatune/base/threads/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

namespace portatune {
namespace {

using namespace std::chrono_literals;

TEST(HangDetector, DetectsLooksWithoutProgress) {
  HangDetector detector(3);
  for (const uint64_t progress : {1, 1, 1}) EXPECT_FALSE(detector.is_hang(progress, false));
  EXPECT_TRUE(detector.is_hang(1, false));
}

TEST(HangDetector, RestartsWithEachProgress) {
  HangDetector detector(2);
  for (uint64_t progress = 1; progress < 10; ++progress) {
    EXPECT_FALSE(detector.is_hang(progress, false));
    EXPECT_FALSE(detector.is_hang(progress, false));
  }
}

TEST(HangDetector, IgnoresUnwatchedTime) {
  HangDetector detector(2);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(detector.is_hang(1, true));
  EXPECT_FALSE(detector.is_hang(1, false));
  EXPECT_TRUE(detector.is_hang(1, false));
}

TEST(Watchdog, NotifiesOnceOfAHang) {
  std::atomic<int> calls = 0;
  std::promise<void> notified;
  {
    const Watchdog watchdog(20ms, [&] {
      ++calls;
      notified.set_value();
    });
    notified.get_future().wait();
  }
  EXPECT_EQ(calls, 1);
}

TEST(Watchdog, WaitsWhileSomethingIsUnwatched) {
  std::atomic<bool> is_watched = false, was_watched = false;
  std::promise<void> notified;
  {
    auto compiling = std::make_unique<Unwatched>();
    const Watchdog watchdog(1ms, [&] {
      was_watched = is_watched.load();
      notified.set_value();
    });
    std::this_thread::sleep_for(50ms);
    is_watched = true;
    compiling.reset();
    notified.get_future().wait();
  }
  EXPECT_TRUE(was_watched);
}

TEST(Watchdog, EndsWithoutAHang) {
  const Watchdog watchdog(1h, [] { FAIL(); });
}

}  // namespace
}  // namespace portatune
