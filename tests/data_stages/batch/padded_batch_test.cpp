#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Example row(std::initializer_list<int64_t> ids) {
  Example example;
  example.set("ids", Tensor({static_cast<int64_t>(ids.size())}, ids)).set("label", Tensor(Shape{}, {7}));
  return example;
}

Example first(const Dataset& dataset) { return *dataset.iterate().next(); }

}  // namespace

TEST(PaddedBatch, PadsToAFixedLength) {
  const Example batch = first(from_examples({row({1, 2}), row({3}), row({})}).padded_batch(3, {.lengths = {3}}));
  EXPECT_EQ(batch.tensor("ids").type(), (TensorType{DType::kInt64, {3, 3}}));
  EXPECT_THAT(batch.tensor("ids").as<int64_t>(), ElementsAre(1, 2, 0, 3, 0, 0, 0, 0, 0));
  EXPECT_THAT(batch.tensor("label").as<int32_t>(), ElementsAre(7, 7, 7));
}

TEST(PaddedBatch, UsesTheSmallestLengthThatHoldsTheLongestExample) {
  const auto length = [](const Example& example) {
    return first(from_examples({row({1}), example}).padded_batch(2, {.lengths = {4, 2, 3}})).tensor("ids").shape()[1];
  };
  EXPECT_EQ(length(row({1})), 2);
  EXPECT_EQ(length(row({1, 2})), 2);
  EXPECT_EQ(length(row({1, 2, 3})), 3);
  EXPECT_EQ(length(row({1, 2, 3, 4})), 4);
}

TEST(PaddedBatch, AllPaddedColumnsGetOneLength) {
  Example example = row({1});
  example.set("mask", Tensor({3}, {1, 1, 1}));
  const Example batch = first(from_examples({example}).padded_batch(1, {.lengths = {2, 4}}));
  EXPECT_EQ(batch.tensor("ids").shape(), (Shape{1, 4}));
  EXPECT_EQ(batch.tensor("mask").shape(), (Shape{1, 4}));
}

TEST(PaddedBatch, TargetsHaveLengthsOfTheirOwn) {
  const auto pair = [](std::initializer_list<int64_t> ids, std::initializer_list<int32_t> labels) {
    return row(ids).set("labels", Tensor({static_cast<int64_t>(labels.size())}, labels));
  };
  const PaddedBatchOptions options{.lengths = {2, 4},
                                   .columns = {"ids"},
                                   .pad_values = {{"labels", -100}},
                                   .target_columns = {"labels"},
                                   .target_lengths = {1, 3}};
  const auto shapes = [&](const Example& example) {
    const Example batch = first(from_examples({pair({1}, {5}), example}).padded_batch(2, options));
    return LengthPair{batch.tensor("ids").shape()[1], batch.tensor("labels").shape()[1]};
  };
  EXPECT_EQ(shapes(pair({1, 2}, {5})), (LengthPair{2, 1}));
  EXPECT_EQ(shapes(pair({1}, {5, 6})), (LengthPair{4, 3}));
  EXPECT_EQ(shapes(pair({1, 2, 3}, {5})), (LengthPair{4, 3}));
  const Example batch = first(from_examples({pair({1}, {5, 6})}).padded_batch(1, options));
  EXPECT_THAT(batch.tensor("labels").as<int32_t>(), ElementsAre(5, 6, -100));
  EXPECT_EQ(batch.batch_types().size(), 2u);
  EXPECT_THROW(shapes(pair({1}, {5, 6, 7, 8})), DataError);
  EXPECT_THROW((void)from_examples({}).padded_batch(1, {.lengths = {2, 4}, .target_columns = {"labels"}}), UsageError);
}

TEST(PaddedBatch, FillerRowsHoldThePadValueAndHaveWeightZero) {
  const Dataset dataset = from_examples({row({1, 2})});
  const Example batch = first(dataset.padded_batch(2, {.lengths = {3}, .pad_values = {{"ids", -100}}}));
  EXPECT_THAT(batch.tensor("ids").as<int64_t>(), ElementsAre(1, 2, -100, -100, -100, -100));
  EXPECT_THAT(batch.tensor("label").as<int32_t>(), ElementsAre(7, 0));
  EXPECT_THAT(batch.tensor("example_weight").as<float>(), ElementsAre(1, 0));
}

TEST(PaddedBatch, BatchesHaveBatchTypes) {
  const Dataset dataset = from_examples({row({1}), row({1, 2, 3})});
  const auto type = [](int64_t length) {
    return BatchType{{"ids", {DType::kInt64, {1, length}}},
                     {"label", {DType::kInt32, {1}}},
                     {"example_weight", {DType::kFloat32, {1}}}};
  };
  EXPECT_THAT(first(dataset.padded_batch(1, {.lengths = {3, 2}})).batch_types(), ElementsAre(type(2), type(3)));
  // The last batch may have any size.
  EXPECT_TRUE(first(dataset.padded_batch(1, {.lengths = {3}, .fill_remainder = false})).batch_types().empty());
}

TEST(PaddedBatch, MayDropTheRemainder) {
  EXPECT_FALSE(from_examples({row({1})}).padded_batch(2, {.lengths = {3}, .drop_remainder = true}).iterate().next());
}

TEST(PaddedBatch, OtherColumnsKeepTheirShape) {
  Example example = row({1});
  example.set("targets", Tensor({5}, {1.f, 0.f, 0.f, 1.f, 1.f}));
  const Example batch = first(from_examples({example}).padded_batch(1, {.lengths = {2}, .columns = {"ids"}}));
  EXPECT_EQ(batch.tensor("ids").shape(), (Shape{1, 2}));
  EXPECT_EQ(batch.tensor("targets").shape(), (Shape{1, 5}));
}

template <class T>
class PadValue : public testing::Test {};
using ElementTypes = testing::Types<int8_t, uint8_t, int16_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(PadValue, ElementTypes);

TYPED_TEST(PadValue, IsWrittenInTheColumnsType) {
  Example example;
  example.set("x", Tensor({1}, {TypeParam{1}}));
  const Example batch = first(from_examples({example}).padded_batch(1, {.lengths = {2}, .pad_values = {{"x", 100}}}));
  EXPECT_THAT(batch.tensor("x").as<TypeParam>(), ElementsAre(TypeParam{1}, TypeParam{100}));
}

TEST(PaddedBatch, PadValueOfHalfPrecision) {
  Example example;
  example.set("f16", Tensor({DType::kFloat16, {0}})).set("bf16", Tensor({DType::kBFloat16, {0}}));
  const Example batch =
      first(from_examples({example}).padded_batch(1, {.lengths = {1}, .pad_values = {{"f16", 1}, {"bf16", -2}}}));
  EXPECT_THAT(to_floats(batch.tensor("f16").view()), ElementsAre(1.0f));
  EXPECT_THAT(to_floats(batch.tensor("bf16").view()), ElementsAre(-2.0f));
}

TEST(PaddedBatch, PadValueMustFitTheType) {
  const auto pad = [](Tensor tensor, double value) {
    Example example;
    example.set("x", std::move(tensor));
    first(from_examples({example}).padded_batch(1, {.lengths = {2}, .pad_values = {{"x", value}}}));
  };
  expect_error<UsageError>([&] { pad(Tensor({1}, {uint8_t{1}}), -100); }, {"pad value -100", "uint8"});
  expect_error<UsageError>([&] { pad(Tensor({1}, {int8_t{1}}), 128); }, {"pad value 128", "int8"});
  expect_error<UsageError>([&] { pad(Tensor({1}, {int64_t{1}}), 0.5); }, {"pad value 0.5", "int64"});
  expect_error<UsageError>([&] { pad(Tensor({1}, {int64_t{1}}), 9223372036854775808.0); }, {"int64"});
}

TEST(PaddedBatch, ErrorNamesAnExampleThatIsTooLong) {
  const Dataset dataset = from_examples({row({1}), row({1, 2, 3})});
  expect_error<DataError>(
      [&] {
        first(dataset.padded_batch(2, {.lengths = {1, 2}}));
      },
      {"example 1", "[3] in column 'ids'", "at most 2", "truncate"});
}

// An example may hold several texts, which have one more axis.
TEST(PaddedBatch, PadsTheLastAxisOfNamedColumns) {
  Example one, two;
  one.set("ids", Tensor({2, 1}, {1, 2}));
  two.set("ids", Tensor({2, 2}, {3, 4, 5, 6}));
  const PaddedBatchOptions options{.lengths = {3, 4}, .columns = {"ids"}, .pad_values = {{"ids", 9}}};
  const Example batch = first(from_examples({one, two}).padded_batch(2, options));
  EXPECT_EQ(batch.tensor("ids").shape(), (Shape{2, 2, 3}));
  EXPECT_THAT(batch.tensor("ids").as<int32_t>(), ElementsAre(1, 9, 9, 2, 9, 9, 3, 4, 9, 5, 6, 9));
  ASSERT_EQ(batch.batch_types().size(), 2u);
  EXPECT_EQ(batch.batch_types()[1][0].second.shape, (Shape{2, 2, 4}));
  two.set("ids", Tensor({3, 1}, {3, 4, 5}));
  expect_error<DataError>(
      [&] {
        first(from_examples({one, two}).padded_batch(2, options));
      },
      {"example 1", "int32[3, 1] in column 'ids'", "int32[2, 3]"});
  two.set("ids", Tensor({1, 5}, {3, 4, 5, 6, 7}));
  expect_error<DataError>(
      [&] {
        first(from_examples({one, two}).padded_batch(2, options));
      },
      {"example 1", "[1, 5] in column 'ids'", "at most 4 along the last axis"});
}

TEST(PaddedBatch, NamedColumnsMustExistAndHaveAnAxis) {
  const Dataset dataset = from_examples({row({1})});
  expect_error<DataError>([&] { first(dataset.padded_batch(1, {.lengths = {2}, .columns = {"mask"}})); },
                          {"example 0", "a column 'mask'"});
  expect_error<DataError>([&] { first(dataset.padded_batch(1, {.lengths = {2}, .columns = {"label"}})); },
                          {"example 0", "[] in column 'label'", "along the last axis"});
}

TEST(PaddedBatch, ErrorNamesAnotherElementType) {
  Example other = row({1});
  other.set("ids", Tensor({1}, {int32_t{1}}));
  expect_error<DataError>(
      [&] {
        first(from_examples({row({1}), other}).padded_batch(2, {.lengths = {2}}));
      },
      {"example 1", "int32[1]", "int64"});
}

TEST(PaddedBatch, ErrorsNameTheCalledVerb) {
  Example example;
  example.set("x", Tensor({1}, {uint8_t{1}}));
  const Dataset bytes = from_examples({example});
  const PaddedBatchOptions padding{.lengths = {2}, .pad_values = {{"x", -100}}};
  expect_error<UsageError>([&] { first(bytes.padded_batch(1, padding)); }, {"padded_batch", "pad value -100"});
  expect_error<UsageError>([&] { first(bytes.bucket_by_length(1, {.padding = padding})); },
                           {"bucket_by_length", "pad value -100"});
}

// Only batch() suggests padded_batch().
TEST(PaddedBatch, DoesNotSuggestItself) {
  Example one, two;
  one.set("x", Tensor({1, 1}, {1}));
  two.set("x", Tensor({1, 2}, {1, 2}));
  const Dataset rows = from_examples({one, two});
  EXPECT_THAT(message_of<DataError>([&] { first(rows.batch({.size = 2})); }), HasSubstr("use padded_batch"));
  EXPECT_THAT(message_of<DataError>([&] { first(rows.padded_batch(2, {.lengths = {2}})); }),
              AllOf(HasSubstr("bring all examples to one shape"), Not(HasSubstr("padded_batch"))));
}

TEST(PaddedBatch, RequiresLengths) {
  expect_error<UsageError>([] { from_examples({}).padded_batch(1, {}); }, {"padded_batch", "lengths"});
  EXPECT_THROW(from_examples({}).padded_batch(1, {.lengths = {0, 8}}), UsageError);
  EXPECT_THROW(from_examples({}).padded_batch(0, {.lengths = {8}}), UsageError);
}

}  // namespace portatune::data
