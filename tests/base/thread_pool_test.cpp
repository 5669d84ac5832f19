#include "portune/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace portune {

TEST(ThreadPool, CoversEveryItemOnce) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> seen(1001);
  pool.parallel_for(1001, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
  });
  for (const auto& count : seen) EXPECT_EQ(count, 1);
}

TEST(ThreadPool, LoopsMayBeNested) {
  ThreadPool pool(1);
  std::atomic<int> count = 0;
  pool.parallel_for(4, 1, [&](int64_t, int64_t) { pool.parallel_for(4, 1, [&](int64_t, int64_t) { ++count; }); });
  EXPECT_EQ(count, 16);
}

TEST(ThreadPool, PassesTheFirstErrorOn) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.parallel_for(100, 1,
                                 [](int64_t begin, int64_t) {
                                   if (begin == 50) throw std::runtime_error("x");
                                 }),
               std::runtime_error);
}

TEST(ThreadPool, FinishesQueuedTasksBeforeItEnds) {
  std::atomic<int> count = 0;
  {
    ThreadPool pool(2);
    for (int i = 0; i < 100; ++i) pool.submit([&] { ++count; });
  }
  EXPECT_EQ(count, 100);
}

}  // namespace portune
