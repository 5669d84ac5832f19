// The verbs over several datasets: concatenate, interleave, zip, sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data_stages/numbers.h"
#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;

// Numbers in a column of this name.
Dataset called(const std::string& name, int count) {
  return numbers(count).map([name](const Example& e) { return Example(e.origin()).set(name, e.text("n")); });
}

// The number `value`, `count` times.
Dataset constant(int value, int count) { return numbers(value + 1).skip(value).repeat(count); }

TEST(Concatenate, GivesTheDatasetsInOrder) {
  EXPECT_THAT(collect(numbers(2).concatenate(numbers(3))), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THAT(collect(numbers(0).concatenate(numbers(1)).concatenate(numbers(0))), ElementsAre(0));
  Cursor cursor = numbers(2).concatenate(numbers(3)).iterate();
  EXPECT_EQ(cursor.skip(3), 3);
  EXPECT_THAT(collect(std::move(cursor)), ElementsAre(1, 2));
}

// The example in tf.data's documentation of interleave.
TEST(Interleave, EqualsTfData) {
  const std::vector<Dataset> datasets{constant(1, 6), constant(2, 6), constant(3, 6), constant(4, 6), constant(5, 6)};
  EXPECT_THAT(collect(interleave(datasets, {.cycle_length = 2, .block_length = 4})),
              ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5));
}

TEST(Interleave, AlternatesUntilAllHaveEnded) {
  EXPECT_THAT(collect(interleave({numbers(3), numbers(1), numbers(2)})), ElementsAre(0, 0, 0, 1, 1, 2));
  EXPECT_THAT(collect(interleave({numbers(0), numbers(2)}, {.cycle_length = 1})), ElementsAre(0, 1));
  EXPECT_THAT(collect(interleave({numbers(0), numbers(0)})), ElementsAre());
  EXPECT_THROW(interleave({}), UsageError);
  EXPECT_THROW(interleave({numbers(1)}, {.block_length = 0}), UsageError);
}

TEST(Zip, JoinsColumns) {
  std::vector<std::string> rows;
  for (const Example& row : zip({called("a", 3), called("b", 2)}).iterate()) {
    rows.push_back(row.text("a") + row.text("b"));
    EXPECT_EQ(row.columns().size(), 2u);
  }
  EXPECT_THAT(rows, ElementsAre("00", "11"));  // as long as the shortest
  EXPECT_EQ(zip({called("a", 3), called("b", 2)}).count(), 2);
}

TEST(Zip, RejectsDuplicateColumns) {
  expect_error<DataError>([] { collect(zip({numbers(2), numbers(2)})); }, {"example 0", "column 'n'", "rename"});
  EXPECT_THROW(zip({}), UsageError);
}

TEST(Sample, KeepsTheOrderOfEachDataset) {
  std::vector<std::vector<int>> of(2);
  for (const Example& e : sample({called("a", 10), called("b", 30)}, {.weights = {1, 2}, .seed = 4}).iterate()) {
    of[e.has("b")].push_back(std::stoi(e.text(e.has("b") ? "b" : "a")));
  }
  EXPECT_EQ(of[0], collect(numbers(10)));
  EXPECT_EQ(of[1], collect(numbers(30)));
}

TEST(Sample, DrawsInProportionToTheWeights) {
  const Dataset mixed = sample({called("a", 1).repeat(), called("b", 1).repeat(), called("c", 1).repeat()},
                               {.weights = {1, 2, 5}, .seed = 8});
  std::vector<double> counts(3);
  for (const Example& e : mixed.take(8000).iterate()) ++counts[e.has("a") ? 0 : e.has("b") ? 1 : 2];
  double chi_square = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double expected = std::vector<double>{1000, 2000, 5000}[i];
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 13.8);  // the 0.1 % point for 2 degrees of freedom
}

TEST(Sample, DependsOnSeedAndEpoch) {
  const auto order = [](SampleOptions options, int64_t epoch) {
    return collect(sample({constant(0, 20), constant(1, 20)}, options).iterate(epoch));
  };
  EXPECT_EQ(order({.seed = 1}, 0), order({.seed = 1}, 0));
  EXPECT_NE(order({.seed = 1}, 0), order({.seed = 2}, 0));
  EXPECT_NE(order({.seed = 1}, 0), order({.seed = 1}, 1));
  EXPECT_EQ(order({.seed = 1, .reshuffle_each_iteration = false}, 0),
            order({.seed = 1, .reshuffle_each_iteration = false}, 1));
}

// Like stop_on_empty_dataset of tf.data: the mixture keeps its proportions to the end.
TEST(Sample, MayEndWithTheFirstExhaustedDataset) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Dataset> datasets{constant(0, 3), constant(1, 1000)};
    const std::vector<int> found = collect(sample(datasets, {.seed = seed, .stop_on_empty_dataset = true}));
    EXPECT_EQ(std::ranges::count(found, 0), 3);
    EXPECT_LT(found.size(), 100u);
    const std::vector<int> all = collect(sample(datasets, {.seed = seed}));
    EXPECT_EQ(all.size(), 1003u);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), all.begin()));
  }
}

TEST(Sample, RequiresAPositiveWeightForEachDataset) {
  expect_error<UsageError>([] { sample({numbers(1)}, {.weights = {1, 2}}); }, {"2 weights", "1, one for each"});
  expect_error<UsageError>([] { sample({numbers(1)}, {.weights = {0}}); }, {"weight 0", "leave out"});
  EXPECT_THROW(sample({numbers(1)}, {.weights = {NAN}}), UsageError);
  EXPECT_THROW(sample({}), UsageError);
}

}  // namespace
}  // namespace portatune::data
