#include "portatune/run/launch/runs_at_once.h"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "portatune/base/threads/cores.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

TEST(BestAtOnce, UsesAllCoresIfThereAreEnoughRuns) {
  EXPECT_EQ(best_at_once(9, 2, 2), 2);
  EXPECT_EQ(best_at_once(1, 2, 2), 1);
  EXPECT_EQ(best_at_once(3, 1, 1), 1);
  EXPECT_EQ(best_at_once(16, 8, 8), 8);
  EXPECT_EQ(best_at_once(9, 16, 16), 8);  // on two cores each, as nine would have one each
  EXPECT_EQ(best_at_once(3, 8, 8), 2);    // on four cores each, as three would have two each
}

TEST(BestAtOnce, KeepsTheLimit) {
  EXPECT_EQ(best_at_once(9, 8, 1), 1);
  EXPECT_EQ(best_at_once(9, 8, 4), 4);
}

TEST(RunsThatFit, LeaveRoomForTheGrowthOfEachRun) {
  EXPECT_EQ(runs_that_fit(1000, 10000), 7);  // 500 for the first run, 1500 for each of six others
  EXPECT_EQ(runs_that_fit(1000, 1999), 1);
  EXPECT_EQ(runs_that_fit(1000, 2000), 2);
  EXPECT_EQ(runs_that_fit(1000, 0), 1);
  EXPECT_GT(runs_that_fit(0, int64_t{1} << 40), 1000);
}

TEST(PartsOfCores, DivideThemAll) {
  EXPECT_THAT(parts_of_cores({0, 2, 4, 6, 8}, 2), ElementsAre(ElementsAre(0, 2), ElementsAre(4, 6, 8)));
  EXPECT_THAT(parts_of_cores({3}, 1), ElementsAre(ElementsAre(3)));
}

std::vector<size_t> numbers(size_t count) {
  std::vector<size_t> runs(count);
  std::iota(runs.begin(), runs.end(), 0);
  return runs;
}

// Notes the runs that begin, from any thread.
class Begun {
 public:
  void add(size_t run) {
    const std::lock_guard lock(mutex_);
    runs_.push_back(run);
  }
  const std::vector<size_t>& runs() const { return runs_; }

 private:
  std::mutex mutex_;
  std::vector<size_t> runs_;
};

TEST(RunsAtOnce, TrainEachRunOnce) {
  for (const int64_t most : {0, 1, 2}) {
    RunOptions options;
    options.max_concurrent_runs = most;
    Events events;
    Begun begun;
    EXPECT_TRUE(
        RunsAtOnce(options, nullptr, events).train(numbers(7), [&](size_t run, const RunsAtOnce::Context& context) {
          begun.add(run);
          context.has_stepped();
          return true;
        }));
    EXPECT_THAT(begun.runs(), UnorderedElementsAreArray(numbers(7)));
  }
}

TEST(RunsAtOnce, TrainInOrderWithAnObserver) {
  RunOptions options;
  Events events;
  Callback observer;
  std::vector<size_t> begun;
  EXPECT_TRUE(
      RunsAtOnce(options, &observer, events).train(numbers(5), [&](size_t run, const RunsAtOnce::Context& context) {
        EXPECT_TRUE(context.is_alone);
        begun.push_back(run);
        return true;
      }));
  EXPECT_EQ(begun, numbers(5));
}

// Keeps the notices of the main thread. Other threads may wait for the first one.
class NoticesOfRuns final : public Events {
 public:
  void notice(const std::string& text) override {
    texts.push_back(text);
    has_any_ = true;
    has_any_.notify_all();
  }
  void wait_for_one() const { has_any_.wait(false); }

  std::vector<std::string> texts;

 private:
  std::atomic<bool> has_any_ = false;
};

// The memory of a machine whose runs use so many bytes each.
class MemoryOfRuns {
 public:
  explicit MemoryOfRuns(int64_t free_bytes) : free_bytes_(free_bytes) {}

  // The first reading precedes the first run.
  std::optional<MemoryUse> operator()() {
    return MemoryUse{.used_bytes = 1000 * readings_++, .free_bytes = free_bytes_};
  }

 private:
  const int64_t free_bytes_;
  int64_t readings_ = 0;
};

TEST(RunsAtOnce, TrainOneAfterTheOtherIfTheMemorySufficesForOne) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  RunOptions options;
  options.max_concurrent_runs = 2;
  NoticesOfRuns events;
  std::vector<bool> alone;
  std::vector<size_t> begun;
  RunsAtOnce runs(options, nullptr, events, MemoryOfRuns(1999));  // the second run could need 1,500 beside 500 more
  EXPECT_TRUE(runs.train(numbers(5), [&](size_t run, const RunsAtOnce::Context& context) {
    begun.push_back(run);
    alone.push_back(context.is_alone);
    context.has_stepped();
    events.wait_for_one();
    return true;
  }));
  EXPECT_EQ(begun, numbers(5));
  EXPECT_THAT(alone, ElementsAre(false, true, true, true, true));  // the first one has measured the memory
  EXPECT_THAT(events.texts, ElementsAre("training one run at a time, as the memory suffices for no more"));
}

TEST(RunsAtOnce, TrainAtTheSameTimeIfTheMemorySuffices) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  RunOptions options;
  options.max_concurrent_runs = 2;
  Events events;
  std::atomic<int> begun = 0;
  RunsAtOnce runs(options, nullptr, events, MemoryOfRuns(2000));
  EXPECT_TRUE(runs.train(numbers(2), [&](size_t, const RunsAtOnce::Context& context) {
    ++begun;
    begun.notify_all();
    context.has_stepped();
    begun.wait(1);  // until the other one has begun
    return true;
  }));
  EXPECT_EQ(begun, 2);
}

// The first run fails when the second one has begun, which then sees the request.
TEST(RunsAtOnce, AFailureStopsTheOthersAndIsThrown) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  RunOptions options;
  options.max_concurrent_runs = 2;
  Events events;
  std::atomic<bool> second_has_begun = false;
  std::atomic<int> begun = 0;
  const auto train = [&](size_t run, const RunsAtOnce::Context& context) {
    ++begun;
    if (run == 0) {
      context.has_stepped();
      second_has_begun.wait(false);
      throw std::runtime_error("no data");
    }
    second_has_begun = true;
    second_has_begun.notify_all();
    while (!context.stop.stop_requested()) std::this_thread::yield();
    return false;
  };
  EXPECT_THROW(RunsAtOnce(options, nullptr, events).train(numbers(6), train), std::runtime_error);
  EXPECT_EQ(begun, 2);
}

TEST(RunsAtOnce, ARequestOfTheUserStopsAll) {
  StopSource stop;
  RunOptions options;
  options.stop = stop.token();
  Events events;
  const auto train = [&](size_t, const RunsAtOnce::Context& context) {
    context.has_stepped();
    stop.request_stop();
    while (!context.stop.stop_requested()) std::this_thread::yield();
    return false;
  };
  EXPECT_FALSE(RunsAtOnce(options, nullptr, events).train(numbers(6), train));
}

TEST(RunsAtOnce, ARunThatIsStoppedBeforeItsTrainingStopsAll) {
  for (const int64_t most : {1, 2}) {
    RunOptions options;
    options.max_concurrent_runs = most;
    Events events;
    EXPECT_FALSE(RunsAtOnce(options, nullptr, events).train(numbers(6), [](size_t, const RunsAtOnce::Context&) -> bool {
      throw Stopped();
    }));
  }
}

}  // namespace
}  // namespace portatune::run
