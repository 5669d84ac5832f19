// Custom sources and verbs. state_test.cpp resumes them at every element.
#include "data_stages/custom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/numbers.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> befores(Cursor cursor) {
  std::vector<std::string> found;
  for (const Example& example : cursor) found.push_back(example.text("before") + "-" + example.text("n"));
  return found;
}

Example numbered(int64_t index) { return Example(Origin{.row = index}).set("n", std::to_string(index)); }

TEST(CustomSource, GivesTheExamplesOfEachEpoch) {
  EXPECT_THAT(collect(counter(4).iterate(0)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(collect(counter(4).iterate(2)), ElementsAre(2, 3));
  EXPECT_THAT(collect(counter(3).repeat(2)), ElementsAre(0, 1, 2, 1, 2));
  EXPECT_FALSE(counter(4).has_random_access());
}

TEST(CustomSource, SkipsByMakingExamples) {
  Cursor cursor = counter(5).iterate();
  EXPECT_EQ(cursor.skip(3), 3);
  EXPECT_EQ(cursor.next()->text("n"), "3");
  EXPECT_EQ(cursor.skip(3), 1);
}

TEST(CustomSource, ByIndexHasRandomAccess) {
  const Dataset rows = from_index("numbers", 5, numbered);
  EXPECT_TRUE(rows.has_random_access());
  EXPECT_EQ(rows.count(), 5);
  EXPECT_THAT(collect(rows.select({false, true, false, true, false})), ElementsAre(1, 3));
  EXPECT_THROW(from_index("numbers", -1, numbered), UsageError);
}

TEST(CustomVerb, ReadsTheElementsOfItsInput) {
  EXPECT_THAT(befores(numbers(4).apply("before", before).iterate()), ElementsAre("0-1", "1-2", "2-3"));
  EXPECT_THAT(befores(numbers(1).apply("before", before).iterate()), ElementsAre());
}

TEST(CustomVerb, HasTheEpochOfThePass) {
  EXPECT_THAT(befores(counter(5).apply("before", before).iterate(2)), ElementsAre("2-3", "3-4"));
}

TEST(CustomVerb, StagesBeforeItSkipBadRows) {
  const auto refuse_one = [](Example example) {
    if (example.text("n") == "1") throw DataError({.where = "row 1", .given = "a bad row"});
    return example;
  };
  const auto bad_rows = std::make_shared<BadRows>(1);
  const Dataset rows = numbers(4).map(refuse_one).apply("before", before).skip_bad_rows(bad_rows);
  EXPECT_THAT(befores(rows.iterate()), ElementsAre("0-2", "2-3"));
}

TEST(Custom, RefusesTheStateOfAnother) {
  const std::string state = counter(4).iterate().state();
  const auto other = [](int64_t epoch) { return std::make_unique<Counter>(4, epoch); };
  EXPECT_THAT([&] { from_iterator("other", other).resume(state); }, ThrowsMessage<DataError>(HasSubstr("'counter'")));
}

TEST(Custom, ReportsTheStateThatItRefuses) {
  std::string state = counter(4).iterate().state();
  state.replace(state.find("\"0\""), 3, "\"x\"");
  EXPECT_THAT([&] { counter(4).resume(state); }, ThrowsMessage<DataError>(HasSubstr("a number")));
}

TEST(CursorRestore, RefusesAnotherEpoch) {
  const std::string state = numbers(4).iterate(1).state();
  Cursor cursor = numbers(4).iterate(0);
  EXPECT_THAT([&] { cursor.restore(state); }, ThrowsMessage<DataError>(HasSubstr("epoch")));
}

}  // namespace
}  // namespace portatune::data
