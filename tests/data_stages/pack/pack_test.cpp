// pack: positions of all texts, for rows computed by hand; every example comes once, for any lengths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "data_stages/numbers.h"
#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/data/batch/text_lengths.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// An example with ids 10 number, 10 number + 1, ...; a mask, a label, and an array of tags to be padded.
Example text(int32_t number, int64_t length) {
  std::vector<int32_t> ids(static_cast<size_t>(length)), ones(ids.size(), 1);
  std::iota(ids.begin(), ids.end(), 10 * number);
  Example example(Origin{.row = number});
  example.set("input_ids", Tensor({length}, std::span<const int32_t>(ids)));
  example.set("attention_mask", Tensor({length}, std::span<const int32_t>(ones)));
  example.set("tags", Tensor({1}, {number}));
  return example.set("label", Tensor(Shape{}, {number}));
}

Dataset texts(const std::vector<int64_t>& lengths) {
  std::vector<Example> examples;
  for (const int64_t length : lengths) examples.push_back(text(static_cast<int32_t>(examples.size()) + 1, length));
  return from_examples(std::move(examples));
}

PackOptions options(Packing packing, int64_t examples, std::vector<int64_t> rows, int64_t window) {
  return {.shapes = {.packing = packing, .examples = examples, .rows = std::move(rows), .length = 5, .window = window},
          .columns = {"input_ids"},
          .pad_values = {{"input_ids", -7}, {"tags", -100}}};
}

std::vector<Example> batches_of(const Dataset& dataset) { return all(dataset.iterate()); }

std::span<const int32_t> ints(const Example& batch, std::string_view column) {
  return batch.tensor(column).as<int32_t>();
}

// Labels of the examples of a batch, without fillers.
std::vector<int32_t> labels_of(const Example& batch) {
  std::vector<int32_t> labels;
  for (size_t i = 0; i < batch.tensor(kExampleWeight).as<float>().size(); ++i) {
    if (batch.tensor(kExampleWeight).as<float>()[i] > 0) labels.push_back(ints(batch, "label")[i]);
  }
  return labels;
}

// 400 lengths from 1 to 30, most of them short.
std::vector<int64_t> many_lengths() {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 400; ++i) {
    const double u = static_cast<double>(i * 7919 % 400) / 400;
    lengths.push_back(1 + static_cast<int64_t>(29 * u * u * u));
  }
  return lengths;
}

}  // namespace

TEST(Pack, PutsSeveralTextsInARow) {
  const Example batch = *texts({2, 4, 3}).pack(options(Packing::kExactExamples, 4, {2}, 4)).iterate().next();
  // The longest first: text 2 fills the first row; 3 and then 1 share the second.
  EXPECT_EQ(batch.tensor("input_ids").shape(), (Shape{2, 5}));
  EXPECT_THAT(ints(batch, "input_ids"), ElementsAre(20, 21, 22, 23, -7, 30, 31, 32, 10, 11));
  EXPECT_THAT(ints(batch, "attention_mask"), ElementsAre(2, 2, 2, 2, 0, 3, 3, 3, 1, 1));
  EXPECT_THAT(ints(batch, "position_ids"), ElementsAre(0, 1, 2, 3, 0, 0, 1, 2, 0, 1));
  EXPECT_EQ(batch.tensor("token_places").shape(), (Shape{4, 5}));
  EXPECT_THAT(ints(batch, "token_places"),
              ElementsAre(8, 9, -1, -1, -1, 0, 1, 2, 3, -1, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(ints(batch, "label"), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(batch.tensor(kExampleWeight).as<float>(), ElementsAre(1, 1, 1, 0));
  EXPECT_EQ(batch.tensor("tags").shape(), (Shape{4, 5}));
  EXPECT_THAT(ints(batch, "tags").subspan(4, 3), ElementsAre(-100, 2, -100));
}

// The last of three parts has no example.
TEST(Pack, StacksParts) {
  PackOptions in_parts = options(Packing::kExactExamples, 2, {1, 2}, 2);
  in_parts.shapes.parts = 3;
  Cursor cursor = texts({2, 4, 3}).pack(in_parts).iterate();
  const Example batch = *cursor.next();
  // The first part needs two rows, so all parts have two.
  EXPECT_EQ(batch.tensor("input_ids").shape(), (Shape{6, 5}));
  EXPECT_THAT(ints(batch, "input_ids").first(20), ElementsAre(20, 21, 22, 23, -7, 10, 11, -7, -7, -7,  //
                                                              30, 31, 32, -7, -7, -7, -7, -7, -7, -7));
  EXPECT_THAT(ints(batch, "input_ids").subspan(20), Each(-7));
  EXPECT_EQ(batch.tensor("token_places").shape(), (Shape{3, 2, 5}));
  EXPECT_THAT(ints(batch, "token_places").subspan(10), ElementsAre(0, 1, 2, -1, -1, -1, -1, -1, -1, -1,  //
                                                                   -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(ints(batch, "attention_mask").subspan(20), Each(0));
  EXPECT_THAT(ints(batch, "label"), ElementsAre(1, 2, 3, 0, 0, 0));
  EXPECT_THAT(batch.tensor(kExampleWeight).as<float>(), ElementsAre(1, 1, 1, 0, 0, 0));
  EXPECT_THAT(ints(batch, "tags").last(10), Each(-100));
  ASSERT_EQ(batch.batch_types().size(), 2u);
  EXPECT_FALSE(cursor.next());
}

TEST(Pack, TextsOfAnExampleMayBeInDifferentRows) {
  Example choices;
  choices.set("input_ids", Tensor({2, 4}, {1, 2, 3, -7, 4, 5, 6, 7}));
  choices.set("attention_mask", Tensor({2, 4}, {1, 1, 1, 0, 1, 1, 1, 1}));
  PackOptions of_choices = options(Packing::kExactExamples, 2, {2}, 2);
  const Example batch = *from_examples({choices}).pack(of_choices).iterate().next();
  EXPECT_THAT(ints(batch, "input_ids"), ElementsAre(1, 2, 3, -7, -7, 4, 5, 6, 7, -7));
  EXPECT_THAT(ints(batch, "attention_mask"), ElementsAre(1, 1, 1, 0, 0, 2, 2, 2, 2, 0));
  EXPECT_EQ(batch.tensor("token_places").shape(), (Shape{4, 5}));
}

TEST(Pack, UsesTheSmallestNumberOfRows) {
  const auto rows = [](const std::vector<int64_t>& lengths) {
    return texts(lengths)
        .pack(options(Packing::kExactExamples, 3, {4, 1, 2}, 3))
        .iterate()
        .next()
        ->tensor("input_ids")
        .shape()[0];
  };
  EXPECT_EQ(rows({2, 2, 1}), 1);
  EXPECT_EQ(rows({3, 3, 1}), 2);
  EXPECT_EQ(rows({3, 3, 3}), 4);
}

TEST(Pack, ExamplesThatDoNotFitWaitForTheNextBatch) {
  // The first three do not fit in two rows: the longest of them after the first waits, and the fourth replaces it.
  const auto batches = batches_of(texts({4, 3, 4, 1, 1}).pack(options(Packing::kExactExamples, 3, {2}, 5)));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(labels_of(batches[0]), (std::vector<int32_t>{1, 2, 4}));
  EXPECT_EQ(labels_of(batches[1]), (std::vector<int32_t>{3, 5}));
}

TEST(Pack, FillsABudgetWithExamplesThatFit) {
  // Texts 1 and 2 are in the two rows; 3 does not fit; 4 and 5 do, the longer first.
  const auto batches = batches_of(texts({4, 3, 3, 1, 2}).pack(options(Packing::kTokenBudget, 8, {2}, 5)));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(labels_of(batches[0]), (std::vector<int32_t>{1, 2, 4, 5}));
  EXPECT_THAT(ints(batches[0], "attention_mask"), ElementsAre(1, 1, 1, 1, 3, 2, 2, 2, 4, 4));
  EXPECT_EQ(labels_of(batches[1]), (std::vector<int32_t>{3}));
}

TEST(Pack, GivesEveryExampleOnceInBatchesOfOneSize) {
  const std::vector<int64_t> lengths = many_lengths();
  for (const Packing packing : {Packing::kExactExamples, Packing::kTokenBudget}) {
    PackOptions packed = options(
        packing, 32, packing == Packing::kExactExamples ? std::vector<int64_t>{9, 13} : std::vector<int64_t>{7}, 64);
    packed.shapes.length = 32;
    const auto batches = batches_of(texts(lengths).pack(packed));
    std::multiset<int32_t> seen;
    for (const Example& batch : batches) {
      const std::vector<int32_t> labels = labels_of(batch);
      seen.insert(labels.begin(), labels.end());
      const bool last = &batch == &batches.back();
      if (packing == Packing::kExactExamples && !last) {
        EXPECT_EQ(labels.size(), 32u);
      }
      EXPECT_TRUE(std::ranges::count(packed.shapes.rows, batch.tensor("input_ids").shape()[0]) == 1);
    }
    EXPECT_EQ(seen.size(), lengths.size());
    EXPECT_EQ(std::set<int32_t>(seen.begin(), seen.end()).size(), lengths.size());
  }
}

TEST(Pack, ResumesWithTheNextBatch) {
  for (const Packing packing : {Packing::kExactExamples, Packing::kTokenBudget}) {
    PackOptions packed = options(packing, 32, {9, 13}, 48);
    packed.shapes.length = 32;
    const Dataset dataset = texts(many_lengths()).pack(packed);
    Cursor cursor = dataset.iterate();
    for (int batch = 0; batch < 4; ++batch) cursor.next();
    Cursor resumed = dataset.resume(cursor.state());
    while (const std::optional<Example> wanted = cursor.next()) {
      const std::optional<Example> found = resumed.next();
      ASSERT_TRUE(found);
      EXPECT_EQ(labels_of(*found), labels_of(*wanted));
      EXPECT_TRUE(std::ranges::equal(ints(*found, "input_ids"), ints(*wanted, "input_ids")));
    }
    EXPECT_FALSE(resumed.next());
  }
}

TEST(Pack, ErrorNamesTheExampleThatDoesNotFit) {
  const auto message = [](const Dataset& dataset) {
    try {
      batches_of(dataset);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(texts({2, 6}).pack(options(Packing::kExactExamples, 2, {2}, 2))),
              testing::AllOf(HasSubstr("example 2"), HasSubstr("6 tokens"), HasSubstr("2 rows of 5")));
}

TEST(Pack, ErrorNamesTheExampleWhoseColumnsAreNotOfOneShape) {
  const auto message = [](const Tensor& ids, const Tensor& mask) {
    Example example(Origin{.row = 7});
    example.set("input_ids", ids).set("attention_mask", mask);
    const Dataset packed = from_examples({example}).pack(options(Packing::kExactExamples, 1, {1}, 1));
    return message_of<DataError>([&] { batches_of(packed); });
  };
  const Tensor two({2}, {1, 1}), scalar(Shape{}, {1}), none({0, 2}, std::initializer_list<int32_t>{});
  EXPECT_THAT(message(Tensor({1}, {5}), two),
              AllOf(HasSubstr("example 7"), HasSubstr("int32[1] in column 'input_ids'"), HasSubstr("int32[2]")));
  EXPECT_THAT(message(scalar, scalar), AllOf(HasSubstr("example 7"), HasSubstr("'attention_mask'")));
  EXPECT_THAT(message(none, none), AllOf(HasSubstr("int32[0, 2]"), HasSubstr("at least one text")));
  EXPECT_THAT(message(two, Tensor({2}, {1.0F, 1.0F})), HasSubstr("float32[2] in column 'attention_mask'"));
}

TEST(Pack, LengthOfATextIsTheNumberOfNonzeroMaskValues) {
  EXPECT_THAT(text_lengths(Tensor({4}, {1, 1, 1, 0})), ElementsAre(3));
  EXPECT_THAT(text_lengths(Tensor({3, 2}, {1, 1, 2, 0, 0, 0})), ElementsAre(2, 1, 0));
  EXPECT_THAT(text_lengths(Tensor({1, 2, 2}, {1, 1, 1, 0})), ElementsAre(2, 1));
}

TEST(Pack, RejectsInvalidSizes) {
  for (const PackOptions& bad :
       {options(Packing::kExactExamples, 0, {1}, 1), options(Packing::kExactExamples, 1, {}, 1),
        options(Packing::kExactExamples, 4, {1}, 3), options(Packing::kTokenBudget, 1, {0}, 1)}) {
    EXPECT_THROW(texts({1}).pack(bad), UsageError);
  }
}

TEST(PackingPlan, ExactExamplesOfOneLengthByHand) {
  // A row of 12 holds 3 texts of 4; 10 texts need 4 rows: 40 of 48 positions.
  const PackingPlan plan = plan_exact_examples({100, {4}}, 10, 12);
  EXPECT_EQ(plan.shapes.rows, (std::vector<int64_t>{4}));
  EXPECT_EQ(plan.shapes.examples, 10);
  EXPECT_DOUBLE_EQ(plan.useful, 40.0 / 48);
}

TEST(PackingPlan, HasAtMostTwoNumbersOfRowsForAllBatches) {
  std::vector<TextLengths> sample;
  for (const int64_t length : many_lengths()) sample.push_back({length});
  const PackingPlan plan = plan_exact_examples(sample, 32, 32);
  EXPECT_LE(plan.shapes.rows.size(), 2u);
  EXPECT_GT(plan.useful, 0.7);
  const auto batches = batches_of(
      texts(many_lengths()).pack({.shapes = plan.shapes, .columns = {"input_ids"}, .pad_values = {{"tags", 0}}}));
  EXPECT_EQ(batches.size(), 13u);  // 400 in batches of 32
  int64_t tokens = 0, positions = 0;
  for (const Example& batch : batches) {
    const auto mask = ints(batch, "attention_mask");
    tokens += std::ssize(mask) - std::ranges::count(mask, 0);
    positions += std::ssize(mask);
  }
  // All batches except the last, which is half full.
  EXPECT_NEAR(static_cast<double>(tokens) / static_cast<double>(positions), plan.useful, 0.06);
}

TEST(PackingPlan, TokenBudgetFillsItsRows) {
  std::vector<TextLengths> sample;
  for (const int64_t length : many_lengths()) sample.push_back({length});
  const PackingPlan plan = plan_token_budget(sample, 330, 32);
  EXPECT_EQ(plan.shapes.rows, (std::vector<int64_t>{10}));
  EXPECT_GT(plan.useful, 0.97);
  EXPECT_LE(plan.examples_per_batch, static_cast<double>(plan.shapes.examples));
}

TEST(PackingPlan, RowsHoldTheLargestExample) {
  EXPECT_EQ(plan_token_budget({{5, 5, 5}}, 8, 8).shapes.rows, (std::vector<int64_t>{3}));
  EXPECT_EQ(plan_exact_examples({{5, 5, 5}}, 1, 8).shapes.rows, (std::vector<int64_t>{3}));
  EXPECT_THROW(plan_exact_examples({}, 1, 8), UsageError);
  EXPECT_THROW(plan_exact_examples({{9}}, 1, 8), UsageError);
}

TEST(PackingPlan, RejectsSamplesWithoutTokens) {
  const TextLengths none, empty{0}, negative{-1};
  for (const TextLengths& example : {none, empty, negative}) {
    const std::vector<TextLengths> sample(2, example);
    EXPECT_THROW(plan_exact_examples(sample, 1, 8), UsageError);
    EXPECT_THROW(plan_token_budget(sample, 8, 8), UsageError);
  }
}

}  // namespace portatune::data
