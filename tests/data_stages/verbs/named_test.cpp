#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "data_stages/numbers.h"
#include "portatune/data.h"

namespace portatune::data {
namespace {

// A function that takes this long for each example.
std::function<Example(Example)> taking(int milliseconds) {
  return [=](Example example) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    return example;
  };
}

Meter::Stage stage_called(const Meter& meter, const std::string& name) {
  for (const Meter::Stage& stage : meter.stages()) {
    if (stage.name == name) return stage;
  }
  ADD_FAILURE() << "no stage " << name;
  return {};
}

TEST(Named, MeterMeasuresEachStageAlone) {
  const Dataset dataset = numbers(10).named("read").map(taking(4)).named("encode").map(taking(1)).named("pad");
  Meter meter;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(std::ssize(collect(dataset.iterate(0, &meter))), 10);
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(meter.stages().size(), 3u);
  EXPECT_EQ(meter.stages()[0].name, "read");
  EXPECT_EQ(meter.stages()[2].name, "pad");
  // A sleep takes at least the given time, on a busy machine longer; but no time counts for two stages.
  const double read = stage_called(meter, "read").seconds, encode = stage_called(meter, "encode").seconds,
               pad = stage_called(meter, "pad").seconds;
  EXPECT_GE(encode, 0.040);
  EXPECT_GE(pad, 0.010);
  EXPECT_LE(read + encode + pad, all);
  EXPECT_EQ(stage_called(meter, "encode").elements, 10);
  EXPECT_EQ(meter.slowest(), encode > pad ? "encode" : "pad");
}

TEST(Named, MeasuresStagesBeforeAPrefetchOnItsThread) {
  const Dataset dataset = numbers(10).map(taking(2)).named("encode").prefetch(2).named("wait");
  Meter meter;
  collect(dataset.iterate(0, &meter));
  EXPECT_GE(stage_called(meter, "encode").seconds, 0.020);
  EXPECT_EQ(stage_called(meter, "wait").elements, 10);
}

TEST(Named, MeasuresAllEpochsOfARepeat) {
  Meter meter;
  collect(numbers(3).named("read").repeat(4).iterate(0, &meter));
  EXPECT_EQ(stage_called(meter, "read").elements, 12);
}

TEST(Named, LeavesExamplesUnchanged) {
  EXPECT_EQ(collect(numbers(4).named("read")), (std::vector<int>{0, 1, 2, 3}));
  Meter meter;
  Cursor cursor = numbers(4).named("read").iterate(0, &meter);
  EXPECT_EQ(cursor.skip(2), 2);
  EXPECT_EQ(collect(std::move(cursor)), (std::vector<int>{2, 3}));
  EXPECT_EQ(Meter().slowest(), "");
}

}  // namespace
}  // namespace portatune::data
