#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/numbers.h"
#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;

Tensor scalar(int32_t value) { return Tensor(Shape{}, {value}); }

Example row(int32_t label, std::initializer_list<float> features) {
  Example example;
  example.set("text", "t" + std::to_string(label)).set("label", scalar(label));
  example.set("features", Tensor({static_cast<int64_t>(features.size())}, features));
  return example;
}

Dataset three_rows() { return from_examples({row(1, {1, 2}), row(2, {3, 4}), row(3, {5, 6})}); }

}  // namespace

TEST(Batch, StacksRows) {
  const Example batch = *three_rows().batch({.size = 3}).iterate().next();
  EXPECT_THAT(batch.texts("text"), ElementsAre("t1", "t2", "t3"));
  EXPECT_EQ(batch.tensor("label").shape(), Shape{3});
  EXPECT_THAT(batch.tensor("label").as<int32_t>(), ElementsAre(1, 2, 3));
  EXPECT_EQ(batch.tensor("features").shape(), (Shape{3, 2}));
  EXPECT_THAT(batch.tensor("features").as<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(batch.tensor("example_weight").as<float>(), ElementsAre(1, 1, 1));
}

TEST(Batch, FillsTheLastBatchWithRowsOfWeightZero) {
  const std::vector<Example> batches = all(three_rows().batch({.size = 2}).iterate());
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(to_string(batches[0].row_origins()), "example 0, 1");
  EXPECT_EQ(to_string(batches[1].row_origins()), "example 2");
  EXPECT_THAT(batches[1].texts("text"), ElementsAre("t3", ""));
  EXPECT_THAT(batches[1].tensor("label").as<int32_t>(), ElementsAre(3, 0));
  EXPECT_THAT(batches[1].tensor("features").as<float>(), ElementsAre(5, 6, 0, 0));
  EXPECT_EQ(batches[1].tensor("example_weight").type(), (TensorType{DType::kFloat32, {2}}));
  EXPECT_THAT(batches[1].tensor("example_weight").as<float>(), ElementsAre(1, 0));
}

TEST(Batch, MayDropOrShortenTheLastBatch) {
  EXPECT_EQ(all(three_rows().batch({.size = 2, .drop_remainder = true}).iterate()).size(), 1u);
  const std::vector<Example> batches = all(three_rows().batch({.size = 2, .fill_remainder = false}).iterate());
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[1].tensor("features").shape(), (Shape{1, 2}));
  EXPECT_THAT(batches[1].tensor("example_weight").as<float>(), ElementsAre(1));
}

TEST(Batch, ExamplesKeepTheirOwnWeight) {
  std::vector<Example> rows{row(1, {1}), row(2, {2})};
  rows[0].set("example_weight", Tensor(Shape{}, {0.5f}));
  rows[1].set("example_weight", Tensor(Shape{}, {2.0f}));
  const Example batch = *from_examples(rows).batch({.size = 3}).iterate().next();
  EXPECT_THAT(batch.tensor("example_weight").as<float>(), ElementsAre(0.5f, 2.0f, 0.0f));
  for (Example& example : rows) example.set("example_weight", scalar(1));
  expect_error<DataError>([&] { from_examples(rows).batch({.size = 2}).iterate().next(); },
                          {"example 0", "int32[]", "float32 scalar"});
}

TEST(Batch, KeepsTheOriginOfItsFirstRow) {
  EXPECT_EQ(to_string(three_rows().skip(1).batch({.size = 2}).iterate().next()->origin()), "example 1");
}

TEST(Batch, ErrorNamesRowsOfAnotherShapeOrType) {
  const auto pull = [](std::vector<Example> rows) {
    from_examples(std::move(rows)).batch({.size = 3}).iterate().next();
  };
  expect_error<DataError>(
      [&] {
        pull({row(1, {1, 2}), row(2, {3})});
      },
      {"example 1", "float32[1] in column 'features'", "float32[2], as in example 0"});
  Example other = row(2, {3, 4});
  other.set("label", Tensor(Shape{}, {1.0f}));
  expect_error<DataError>(
      [&] {
        pull({row(1, {1, 2}), other});
      },
      {"example 1", "float32[] in column 'label'", "int32[]"});
}

TEST(Batch, ErrorNamesRowsWithOtherColumns) {
  const auto pull = [](std::vector<Example> rows) {
    from_examples(std::move(rows)).batch({.size = 3}).iterate().next();
  };
  Example fewer = row(2, {3, 4});
  fewer.erase("label");
  expect_error<DataError>([&] { pull({row(1, {1, 2}), fewer}); }, {"example 1", "a column 'label'"});
  expect_error<DataError>(
      [&] {
        pull({fewer, row(1, {1, 2})});
      },
      {"example 1", "a column 'label', which example 0 lacks"});
}

TEST(Batch, RejectsBatches) {
  expect_error<DataError>([] { three_rows().batch({.size = 1}).batch({.size = 2}).iterate().next(); },
                          {"a list of texts in column 'text'"});
}

TEST(Batch, RequiresASize) { EXPECT_THROW(three_rows().batch({}), UsageError); }

}  // namespace portatune::data
