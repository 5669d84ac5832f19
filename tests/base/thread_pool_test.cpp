#include "portatune/base/threads/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/limited_memory.h"

namespace portatune {

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

TEST(ThreadPool, RethrowsTheFirstError) {
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

// Runs in another process, with memory for the stacks of only some of the threads.
TEST(ThreadPoolDeathTest, EndsStartedThreadsIfAnotherCannotStart) {
  if (!kMemoryCanBeLimited) GTEST_SKIP() << "memory cannot be limited here";
  const auto start_too_many = [] {
    try {
      ThreadPool pool(10'000);
    } catch (const std::system_error&) {
      return true;
    }
    return false;
  };
  EXPECT_EXIT(exit_after(1 << 30, start_too_many), testing::ExitedWithCode(0), "");
}

}  // namespace portatune
