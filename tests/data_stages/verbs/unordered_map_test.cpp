// map() with ordered = false: every example once, in an order that depends on the threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "data_stages/numbers.h"
#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

// Takes longer for some examples, so that others overtake them.
Example uneven(Example example) {
  if (std::stoi(example.text("n")) % 16 < 2) std::this_thread::sleep_for(std::chrono::microseconds(300));
  return example;
}

std::multiset<int> range(int count) {
  std::multiset<int> numbers;
  for (int i = 0; i < count; ++i) numbers.insert(i);
  return numbers;
}

std::multiset<int> set_of(const std::vector<int>& numbers) { return {numbers.begin(), numbers.end()}; }

TEST(UnorderedMap, GivesEveryExampleOnce) {
  for (const int threads : {1, 2, 4}) {
    for (const int count : {0, 1, 15, 16, 17, 1000}) {
      const Dataset mapped = numbers(count).map(uneven, {.threads = threads, .ordered = false});
      EXPECT_EQ(set_of(collect(mapped)), range(count));
      EXPECT_EQ(mapped.count(), count);
    }
  }
}

// The first block waits until an example of a later block has been given.
TEST(UnorderedMap, DoesNotWaitForASlowBlock) {
  std::mutex gate;
  gate.lock();
  const auto first_waits = [&](Example example) {
    if (example.text("n") == "0") {
      gate.lock();
      gate.unlock();
    }
    return example;
  };
  Cursor cursor = numbers(64).map(first_waits, {.threads = 2, .ordered = false}).iterate();
  EXPECT_GE(std::stoi(cursor.next()->text("n")), 16);
  gate.unlock();
  EXPECT_EQ(collect(std::move(cursor)).size(), 63u);
}

// The examples before and after any cut of the pass are all examples, each once.
TEST(UnorderedMap, ResumesWithTheOtherExamples) {
  const Dataset mapped = numbers(100).map(uneven, {.threads = 3, .ordered = false});
  for (int cut = 0; cut <= 100; ++cut) {
    Cursor cursor = mapped.iterate();
    std::vector<int> seen;
    for (int i = 0; i < cut; ++i) seen.push_back(std::stoi(cursor.next()->text("n")));
    // A second resume after three more examples.
    Cursor again = mapped.resume(cursor.state());
    for (int i = cut; i < std::min(100, cut + 3); ++i) seen.push_back(std::stoi(again.next()->text("n")));
    const std::vector<int> rest = collect(mapped.resume(again.state()));
    seen.insert(seen.end(), rest.begin(), rest.end());
    ASSERT_EQ(set_of(seen), range(100)) << cut;
  }
}

TEST(UnorderedMap, ResumesThroughRepeatAndPrefetch) {
  const Dataset mapped = numbers(40).map(uneven, {.threads = 2, .ordered = false}).prefetch(4).repeat(2);
  for (int cut = 0; cut <= 80; cut += 7) {
    Cursor cursor = mapped.iterate();
    std::vector<int> seen;
    for (int i = 0; i < cut; ++i) seen.push_back(std::stoi(cursor.next()->text("n")));
    const std::vector<int> rest = collect(mapped.resume(cursor.state()));
    seen.insert(seen.end(), rest.begin(), rest.end());
    std::multiset<int> twice = range(40);
    twice.merge(range(40));
    ASSERT_EQ(set_of(seen), twice) << cut;
  }
}

TEST(UnorderedMap, ThrowsAnError) {
  const Dataset failing = numbers(100).map(failing_at("50"), {.threads = 2, .ordered = false});
  EXPECT_THROW(collect(failing), std::runtime_error);
}

// The pass stops after all examples before the error.
TEST(UnorderedMap, ResumesWithAnErrorOfTheInput) {
  const auto fail_at_5 = [](const Example& example) -> bool {
    if (example.text("n") == "5") throw DataError({.where = "row 5"});
    return true;
  };
  const Dataset mapped = numbers(100).filter(fail_at_5).map(same, {.threads = 2, .ordered = false});
  for (const int cut : {0, 2, 5}) {
    Cursor cursor = mapped.iterate();
    for (int i = 0; i < cut; ++i) ASSERT_TRUE(cursor.next());
    Cursor again = mapped.resume(cursor.state());
    for (int i = cut; i < 5; ++i) ASSERT_TRUE(again.next());
    expect_error<DataError>([&] { again.next(); }, {"row 5"});
  }
}

TEST(UnorderedMap, StateOfMissingBlocksIsAnError) {
  const Dataset mapped = numbers(20).map(same, {.threads = 2, .ordered = false});
  const std::string state = mapped.iterate().state();
  const size_t at = state.find("\"taken\":[]");
  ASSERT_NE(at, std::string::npos) << state;
  for (const char* taken : {"\"taken\":[16,5]", "\"taken\":[-1]"}) {
    const std::string wrong = std::string(state).replace(at, 10, taken);
    expect_error<DataError>([&] { mapped.resume(wrong); }, {"unordered map", "taken"});
  }
}

}  // namespace
}  // namespace portatune::data
