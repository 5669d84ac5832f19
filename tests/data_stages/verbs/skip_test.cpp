// Skipping elements is equivalent to reading them, and does not make the skipped elements.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "data_stages/numbers.h"

namespace portatune::data {
namespace {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

// The first number of a batch.
Example first_of(Example batch) {
  Example result;
  result.set("n", batch.texts("n").front());
  return result;
}

// Checks that skip(k) returns the number of skipped elements and leaves the same rest as k calls of next(), at the
// beginning of a pass and within it.
void expect_as_pulled(const Dataset& dataset) {
  const int64_t size = static_cast<int64_t>(collect(dataset).size());
  for (int64_t pulled = 0; pulled <= 2; ++pulled) {
    for (int64_t count = 0; count <= size + 1; ++count) {
      Cursor wanted = dataset.iterate(), skipped = dataset.iterate();
      for (int64_t i = 0; i < pulled; ++i) wanted.next(), skipped.next();
      int64_t there = 0;
      while (there < count && wanted.next()) ++there;
      EXPECT_EQ(skipped.skip(count), there) << count << " after " << pulled;
      EXPECT_EQ(collect(std::move(skipped)), collect(std::move(wanted))) << count << " after " << pulled;
    }
  }
}

TEST(CursorSkip, EqualsNext) {
  expect_as_pulled(numbers(7));
  expect_as_pulled(numbers(7).skip(2));
  expect_as_pulled(numbers(7).take(5));
  expect_as_pulled(numbers(3).take(5));
  expect_as_pulled(numbers(3).repeat(3));
  expect_as_pulled(numbers(0).repeat());
  expect_as_pulled(numbers(7).shuffle({.buffer = 4}).repeat(2));
  expect_as_pulled(numbers(7).filter([](const Example& e) { return std::stoi(e.text("n")) % 2 == 0; }));
  expect_as_pulled(numbers(40).map(same));
  expect_as_pulled(numbers(40).map(same, {.threads = 2}));
  expect_as_pulled(numbers(7).prefetch(2));
  expect_as_pulled(numbers(7).batch({.size = 3}).map(first_of));
  expect_as_pulled(numbers(7).batch({.size = 3, .drop_remainder = true}).map(first_of));
  expect_as_pulled(numbers(6).batch({.size = 3}).map(first_of));
  expect_as_pulled(numbers(7).shuffle({.buffer = 7}).batch({.size = 3}).map(first_of).prefetch(2).repeat(3));
}

TEST(CursorSkip, CountsElements) {
  EXPECT_EQ(numbers(7).batch({.size = 3}).prefetch(2).iterate().skip(kAll), 3);
  EXPECT_EQ(numbers(7).batch({.size = 3, .drop_remainder = true}).iterate().skip(kAll), 2);
  EXPECT_EQ(numbers(7).repeat(2).iterate().skip(kAll), 14);
}

// This makes a resume cheap.
TEST(CursorSkip, DoesNotMapSkippedElements) {
  std::atomic<int> mapped = 0;
  const auto counting = [&](Example example) {
    ++mapped;
    return example;
  };
  for (const int threads : {1, 2}) {
    mapped = 0;
    const Dataset epoch = numbers(10).shuffle({.buffer = 10}).map(counting, {.threads = threads}).batch({.size = 2});
    Cursor cursor = epoch.prefetch(2).repeat(3).skip(14).iterate();
    ASSERT_TRUE(cursor.next());
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(mapped, 2) << threads;
  }
}

}  // namespace
}  // namespace portatune::data
