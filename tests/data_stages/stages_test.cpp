// The verbs with short tests: filter, repeat, skip, take.
#include <gtest/gtest.h>

#include "data_stages/numbers.h"
#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::data {

using Ints = std::vector<int>;

TEST(Dataset, EachPassStartsFromTheBeginning) {
  const Dataset dataset = numbers(3);
  Cursor first = dataset.iterate();
  first.next();
  EXPECT_EQ(collect(dataset), (Ints{0, 1, 2}));
  EXPECT_EQ(first.next()->text("n"), "1");
}

TEST(Dataset, APassOutlivesItsDataset) {
  Cursor cursor = numbers(3).map([](Example example) { return example; }).iterate();
  EXPECT_EQ(collect(std::move(cursor)), (Ints{0, 1, 2}));
}

TEST(Dataset, AnEndedPassStaysEnded) {
  Cursor cursor = numbers(5).filter([](const Example&) { return true; }).shuffle({.buffer = 2}).take(9).iterate();
  while (cursor.next()) continue;
  EXPECT_FALSE(cursor.next());
}

TEST(Filter, KeepsMatchingExamples) {
  EXPECT_EQ(collect(numbers(7).filter([](const Example& e) { return std::stoi(e.text("n")) % 3 == 0; })),
            (Ints{0, 3, 6}));
}

TEST(Filter, ErrorNamesTheExample) {
  const auto keep = [](const Example&) -> bool { throw UsageError({.where = "length limit"}); };
  expect_error<UsageError>([&] { collect(numbers(3).skip(2).filter(keep)); }, {"length limit", "in        example 2"});
}

TEST(Take, EndsEarlyOrWithItsInput) {
  EXPECT_EQ(collect(numbers(5).take(2)), (Ints{0, 1}));
  EXPECT_EQ(collect(numbers(2).take(5)), (Ints{0, 1}));
  EXPECT_TRUE(collect(numbers(5).take(0)).empty());
  EXPECT_THROW(numbers(5).take(-1), UsageError);
}

TEST(Take, ReadsNoMoreThanItGives) { EXPECT_EQ(collect(numbers(5).map(failing_at("2")).take(2)), (Ints{0, 1})); }

TEST(Skip, OmitsTheFirstExamples) {
  EXPECT_EQ(collect(numbers(5).skip(3)), (Ints{3, 4}));
  EXPECT_TRUE(collect(numbers(2).skip(3)).empty());
  EXPECT_THROW(numbers(5).skip(-1), UsageError);
}

TEST(Repeat, RepeatsACountOrForever) {
  EXPECT_EQ(collect(numbers(2).repeat(2)), (Ints{0, 1, 0, 1}));
  EXPECT_EQ(collect(numbers(2).repeat().take(5)), (Ints{0, 1, 0, 1, 0}));
  EXPECT_TRUE(collect(numbers(2).repeat(0)).empty());
}

TEST(Repeat, AnEmptyDatasetEnds) { EXPECT_TRUE(collect(numbers(0).repeat()).empty()); }

}  // namespace portatune::data
