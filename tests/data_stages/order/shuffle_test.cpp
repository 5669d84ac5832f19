#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "data_stages/numbers.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

std::vector<int> sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<int> range(int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST(Shuffle, GivesEveryExampleOnce) {
  for (const int64_t buffer : {1, 2, 7, 100, 1000}) {
    EXPECT_EQ(sorted(collect(numbers(100).shuffle({.buffer = buffer, .seed = 1}))), range(100)) << buffer;
  }
}

TEST(Shuffle, DependsOnTheSeed) {
  const auto order = [](uint64_t seed) { return collect(numbers(50).shuffle({.buffer = 50, .seed = seed})); };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  EXPECT_NE(order(1), range(50));
}

TEST(Shuffle, OrderIsTheSameOnEveryMachineAndInEveryVersion) {
  // Expected values by tests/oracle/data/make_shuffle_golden.py. A resumed run must have the order in which it began.
  EXPECT_EQ(collect(numbers(10).shuffle({.buffer = 10, .seed = 42})), (std::vector<int>{0, 9, 3, 4, 7, 2, 5, 8, 1, 6}));
  EXPECT_EQ(collect(numbers(10).shuffle({.buffer = 3, .seed = 42})), (std::vector<int>{2, 0, 4, 3, 5, 7, 8, 6, 1, 9}));
  EXPECT_EQ(collect(numbers(10).shuffle({.buffer = 10, .seed = 42}).iterate(1)),
            (std::vector<int>{1, 6, 2, 7, 9, 5, 3, 8, 4, 0}));
}

TEST(Shuffle, OrderOfAnEpochDoesNotDependOnEarlierEpochs) {
  const Dataset shuffled = numbers(20).shuffle({.buffer = 20, .seed = 3});
  const std::vector<int> all = collect(shuffled.repeat(3));
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::vector<int> part(all.begin() + 20 * epoch, all.begin() + 20 * (epoch + 1));
    EXPECT_EQ(part, collect(shuffled.iterate(epoch)));
    EXPECT_EQ(sorted(part), range(20));
    EXPECT_NE(part, collect(shuffled.iterate(epoch + 1)));
  }
}

TEST(Shuffle, NestedRepeatsNeverReuseAnEpoch) {
  const std::vector<int> all = collect(numbers(12).shuffle({.buffer = 12, .seed = 3}).repeat(2).repeat(2));
  std::map<std::vector<int>, int> orders;
  for (int epoch = 0; epoch < 4; ++epoch) ++orders[{all.begin() + 12 * epoch, all.begin() + 12 * (epoch + 1)}];
  EXPECT_EQ(orders.size(), 4u);
}

TEST(Shuffle, MayKeepOneOrderForAllEpochs) {
  const Dataset shuffled = numbers(20).shuffle({.buffer = 20, .seed = 3, .reshuffle_each_iteration = false});
  EXPECT_EQ(collect(shuffled.iterate(0)), collect(shuffled.iterate(1)));
}

TEST(Shuffle, AFullBufferMakesAllOrdersEquallyLikely) {
  std::map<std::vector<int>, int> counts;
  const Dataset shuffled = numbers(4).shuffle({.buffer = 4, .seed = 11});
  for (int epoch = 0; epoch < 24'000; ++epoch) ++counts[collect(shuffled.iterate(epoch))];
  ASSERT_EQ(counts.size(), 24u);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 49.7);  // the 0.1 % point for 23 degrees of freedom
}

TEST(Shuffle, ASmallBufferMovesExamplesForwardByLessThanItsSize) {
  const std::vector<int> order = collect(numbers(1000).shuffle({.buffer = 10, .seed = 5}));
  for (int position = 0; position < 1000; ++position) EXPECT_LT(order[static_cast<size_t>(position)], position + 10);
}

TEST(Shuffle, WithoutABufferUsesAPermutation) {
  // Expected values by the same script. cache_test.cpp tests inputs without random access.
  EXPECT_EQ(collect(numbers(10).shuffle({.seed = 42})), (std::vector<int>{1, 3, 5, 7, 0, 9, 4, 6, 2, 8}));
  EXPECT_EQ(collect(numbers(10).shuffle({.seed = 42}).iterate(1)), (std::vector<int>{3, 6, 7, 5, 8, 1, 4, 2, 0, 9}));
  EXPECT_THROW(numbers(3).shuffle({.buffer = -1}), UsageError);
}

// Each of these verbs keeps random access, so that a permutation contains the same examples.
TEST(Shuffle, UsesRandomAccessThroughOtherVerbs) {
  const Dataset odd = numbers(9).select({false, true, false, true, false, true, false, true, false});
  const auto doubled = [](Example e) { return e.set("n", std::to_string(2 * std::stoi(e.text("n")))); };
  const auto expect_same_examples = [](const Dataset& dataset) {
    const std::vector<int> shuffled = collect(dataset.shuffle({.seed = 3}));
    EXPECT_NE(shuffled, collect(dataset));
    EXPECT_EQ(sorted(shuffled), sorted(collect(dataset)));
  };
  expect_same_examples(odd);
  expect_same_examples(numbers(20).map(doubled));
  expect_same_examples(numbers(20).skip(5));
  expect_same_examples(numbers(20).take(5));
  expect_same_examples(numbers(20).take(50));
  expect_same_examples(numbers(20).shard(3, 1));
  expect_same_examples(numbers(7).concatenate(numbers(8)));
  expect_same_examples(zip({numbers(9), numbers(7).map([](const Example&) { return Example(); })}));
  expect_same_examples(numbers(20).shuffle({.seed = 1}));
  expect_same_examples(numbers(20).cache());
  expect_same_examples(numbers(10'000).select(std::vector<bool>(10'000, true)));
  for (const Example& example : numbers(9).enumerate().shuffle({.seed = 1}).iterate(4)) {
    EXPECT_EQ(std::to_string(example.tensor("index").as<int64_t>()[0]), example.text("n"));
    EXPECT_EQ(example.tensor("epoch").as<int64_t>()[0], 4);
  }
  EXPECT_TRUE(collect(numbers(3).skip(5).shuffle({.seed = 1})).empty());
}

}  // namespace portatune::data
