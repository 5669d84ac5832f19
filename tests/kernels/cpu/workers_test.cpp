#include "portatune/kernels/cpu/workers.h"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "kernels/cpu/support.h"

namespace portatune::kernels {

// A pool whose threads are all busy: it keeps tasks until the test runs them.
class BusyWorkers final : public Workers {
 public:
  int threads() const override { return 4; }
  void submit(std::function<void()> task) const override { waiting.push_back(std::move(task)); }
  mutable std::vector<std::function<void()>> waiting;
};

TEST(ParallelFor, RunsEveryPieceOnce) {
  const TestWorkers workers;
  std::vector<std::atomic<int>> seen(1003);
  parallel_for(workers, 1003, [&](int64_t piece) { ++seen[static_cast<size_t>(piece)]; });
  for (const auto& count : seen) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, RangesCoverEveryElementOnce) {
  const TestWorkers workers;
  std::vector<std::atomic<int>> seen(1003);
  parallel_ranges(workers, 1003, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
  });
  for (const auto& count : seen) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, DoesNotWaitForHelpersThatNeverBegin) {
  const BusyWorkers workers;
  int count = 0;
  parallel_for(workers, 10, [&](int64_t) { ++count; });
  EXPECT_EQ(count, 10);
}

TEST(ParallelFor, HelpersThatBeginTooLateDoNothing) {
  const BusyWorkers workers;
  int count = 0;
  parallel_for(workers, 10, [&](int64_t) { ++count; });
  EXPECT_EQ(workers.waiting.size(), 3U);
  for (const auto& task : workers.waiting) task();
  EXPECT_EQ(count, 10);
}

TEST(ParallelFor, MayBeNested) {
  const TestWorkers workers;
  std::atomic<int> count = 0;
  parallel_for(workers, 8, [&](int64_t) { parallel_for(workers, 8, [&](int64_t) { ++count; }); });
  EXPECT_EQ(count, 64);
}

TEST(ParallelFor, MayBeCalledFromManyThreadsAtOnce) {
  const TestWorkers workers;
  std::atomic<int> count = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (int j = 0; j < 50; ++j) parallel_for(workers, 5, [&](int64_t) { ++count; });
      });
    }
  }
  EXPECT_EQ(count, 8 * 50 * 5);
}

TEST(ParallelFor, RethrowsAnErrorAfterAllPiecesAreDone) {
  const TestWorkers workers;
  std::atomic<int> count = 0;
  const auto work = [&](int64_t piece) {
    ++count;
    if (piece == 3) throw std::runtime_error("x");
  };
  EXPECT_THROW(parallel_for(workers, 20, work), std::runtime_error);
  EXPECT_EQ(count, 20);
}

}  // namespace portatune::kernels
