#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "data_stages/numbers.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {}  // namespace

TEST(Prefetch, LeavesExamplesUnchanged) {
  std::vector<int> expected(500);
  std::iota(expected.begin(), expected.end(), 0);
  for (const int64_t count : {1, 3, 1000}) EXPECT_EQ(collect(numbers(500).prefetch(count)), expected);
  EXPECT_TRUE(collect(numbers(0).prefetch(1)).empty());
}

TEST(Prefetch, ReadsAheadUpToTheLimit) {
  std::atomic<int> pulled = 0;
  Cursor cursor = numbers(100).map(counting(pulled)).prefetch(3).iterate();
  cursor.next();
  // One example is taken, 3 are in the queue, and one more waits for room.
  while (pulled < 5) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pulled, 5);
  cursor.next();
  while (pulled < 6) std::this_thread::yield();
}

TEST(Prefetch, ErrorComesAfterTheExamplesBeforeIt) {
  Cursor cursor = numbers(100).map(failing_at("5")).prefetch(10).iterate();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(cursor.next()->text("n"), std::to_string(i));
  EXPECT_THROW(cursor.next(), std::runtime_error);
  EXPECT_FALSE(cursor.next());
}

TEST(Prefetch, PassMayEndEarly) {
  for (int pulled = 0; pulled < 50; ++pulled) {
    Cursor cursor = numbers(10).repeat().prefetch(2).iterate();
    for (int i = 0; i < pulled; ++i) cursor.next();
  }
}

TEST(Prefetch, PassOfAChainMayEndEarly) {
  for (int i = 0; i < 20; ++i) {
    Cursor cursor =
        numbers(10).repeat().prefetch(2).map([](Example e) { return e; }, {.threads = 2}).prefetch(3).iterate();
    cursor.next();
  }
}

TEST(Prefetch, RequiresAPositiveCount) { EXPECT_THROW(numbers(3).prefetch(0), UsageError); }

}  // namespace portatune::data
