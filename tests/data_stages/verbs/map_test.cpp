#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "data_stages/numbers.h"
#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// Takes longer for some examples, so that threads overtake each other.
Example square(Example example) {
  const int n = std::stoi(example.text("n"));
  if (n % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  return std::move(example.set("n", std::to_string(n * n)));
}

std::vector<int> squares(int count) {
  std::vector<int> result;
  for (int n = 0; n < count; ++n) result.push_back(n * n);
  return result;
}

}  // namespace

class MapWithThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, MapWithThreads, testing::Values(0, 1, 2, 4));

TEST_P(MapWithThreads, KeepsTheOrder) {
  for (const int count : {0, 1, 15, 16, 17, 1000}) {
    EXPECT_EQ(collect(numbers(count).map(square, {.threads = GetParam()})), squares(count));
  }
}

TEST_P(MapWithThreads, ErrorComesInPlaceOfItsExample) {
  Cursor cursor = numbers(100).map(failing_at("40"), {.threads = GetParam()}).iterate();
  for (int i = 0; i < 40; ++i) ASSERT_EQ(cursor.next()->text("n"), std::to_string(i));
  EXPECT_THROW(cursor.next(), std::runtime_error);
}

TEST_P(MapWithThreads, ErrorOfTheInputComesInOrder) {
  Cursor cursor = numbers(100).map(failing_at("40")).map(square, {.threads = GetParam()}).iterate();
  for (int i = 0; i < 40; ++i) ASSERT_EQ(cursor.next()->text("n"), std::to_string(i * i));
  EXPECT_THROW(cursor.next(), std::runtime_error);
}

TEST_P(MapWithThreads, ErrorNamesTheExample) {
  const auto f = [](Example) -> Example { throw DataError({.where = "label"}); };
  expect_error<DataError>([&] { collect(numbers(3).map(f, {.threads = GetParam()})); },
                          {"label", "in        example 0"});
}

TEST_P(MapWithThreads, PassMayEndEarly) {
  for (int pulled = 0; pulled < 20; ++pulled) {
    Cursor cursor = numbers(1000).map(square, {.threads = GetParam()}).iterate();
    for (int i = 0; i < pulled; ++i) cursor.next();
  }
}

TEST(Map, RunsConcurrently) {
  // Each of the two calls waits for the other.
  std::atomic<int> arrived = 0;
  const auto meet = [&](Example example) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    return example;
  };
  // The two examples are in different blocks, as each block belongs to one thread.
  EXPECT_EQ(collect(numbers(17).map(meet, {.threads = 2})).size(), 17u);
}

TEST(Map, RejectsANegativeNumberOfThreads) { EXPECT_THROW(numbers(3).map(square, {.threads = -1}), UsageError); }

}  // namespace portatune::data
