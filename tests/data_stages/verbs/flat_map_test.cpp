#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/numbers.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Makes n examples of number n.
std::vector<Example> copies(const Example& example) {
  return std::vector<Example>(std::stoul(example.text("n")), example);
}

TEST(FlatMap, GivesAllExamplesInOrder) {
  EXPECT_THAT(collect(numbers(4).flat_map(copies)), ElementsAre(1, 2, 2, 3, 3, 3));
}

TEST(FlatMap, MayRemoveExamples) {
  const auto none = [](const Example&) { return std::vector<Example>(); };
  EXPECT_THAT(collect(numbers(3).flat_map(none)), IsEmpty());
}

TEST(FlatMap, SkipsExamplesOfTheFunction) {
  EXPECT_THAT(collect(numbers(4).flat_map(copies).skip(2)), ElementsAre(2, 3, 3, 3));
}

TEST(FlatMap, ErrorComesInPlaceOfItsExamples) {
  const auto fail_at_2 = [](const Example& example) { return copies(failing_at("2")(example)); };
  Cursor cursor = numbers(4).flat_map(fail_at_2).iterate();
  EXPECT_EQ(cursor.next()->text("n"), "1");
  EXPECT_THROW(cursor.next(), std::runtime_error);
}

}  // namespace
}  // namespace portatune::data
