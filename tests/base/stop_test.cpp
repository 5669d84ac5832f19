#include "portatune/base/threads/stop.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "portatune/base/threads/thread_pool.h"

namespace portatune {
namespace {

TEST(Stop, EndsTheWorkOfItsSourceAlone) {
  StopSource first, second;
  first.request_stop();
  const StopScope scope(second.token());
  EXPECT_NO_THROW(stop_if_requested());
  second.request_stop();
  EXPECT_THROW(stop_if_requested(), Stopped);
}

TEST(Stop, ATokenOutlivesItsSource) {
  StopToken token;
  {
    StopSource source;
    token = source.token();
    source.request_stop();
  }
  EXPECT_TRUE(token.stop_requested());
}

TEST(Stop, ARequestOfAnOuterSourceIsOneOfTheInnerSource) {
  StopSource outer, unrelated;
  StopSource inner(StopSource(outer.token()).token());  // the source between them has ended
  unrelated.request_stop();
  EXPECT_FALSE(inner.token().stop_requested());
  outer.request_stop();
  EXPECT_TRUE(inner.token().stop_requested());
}

TEST(Stop, ARequestOfAnInnerSourceIsNoneOfTheOuterSource) {
  StopSource outer;
  StopSource inner(outer.token());
  inner.request_stop();
  EXPECT_TRUE(inner.token().stop_requested());
  EXPECT_FALSE(outer.token().stop_requested());
}

TEST(Stop, ATokenWithoutASourceNeverStops) { EXPECT_FALSE(StopToken().stop_requested()); }

TEST(Stop, AScopeHidesTheOuterOneAndThenReturnsToIt) {
  StopSource source;
  source.request_stop();
  const StopScope outer(source.token());
  {
    const StopScope inner{StopToken()};
    EXPECT_NO_THROW(stop_if_requested());
  }
  EXPECT_THROW(stop_if_requested(), Stopped);
}

TEST(Stop, AThreadHasNoTokenUnlessItIsGiven) {
  StopSource source;
  source.request_stop();
  const StopScope scope(source.token());
  std::jthread([] { EXPECT_NO_THROW(stop_if_requested()); });
  std::jthread(with_current_stop([] { EXPECT_THROW(stop_if_requested(), Stopped); }));
}

TEST(Stop, TasksOfAPoolBelongToTheRunThatSubmitsThem) {
  ThreadPool pool(2);
  StopSource source;
  source.request_stop();
  const auto stops = [&] {
    std::promise<bool> found;
    pool.submit([&] { found.set_value(current_stop().stop_requested()); });
    return found.get_future().get();
  };
  EXPECT_FALSE(stops());
  const StopScope scope(source.token());
  EXPECT_TRUE(stops());
}

}  // namespace
}  // namespace portatune
