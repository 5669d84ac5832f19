#include "portatune/tasks/rows/packed_pairs.h"

#include <gmock/gmock.h>

namespace portatune::tasks {
namespace {

using testing::ElementsAre;

data::Example pair(int32_t first_token, int64_t source, std::vector<int32_t> labels) {
  std::vector<int32_t> ids(static_cast<size_t>(source));
  for (int32_t& id : ids) id = first_token++;
  return data::Example()
      .set("input_ids", vector_of(ids))
      .set("attention_mask", vector_of(std::vector<int32_t>(ids.size(), 1)))
      .set("labels", vector_of(labels))
      .set(data::kExampleWeight, Tensor({}, {1.0f}));
}

// A batch of two rows of 6 sources and 3 targets.
data::Example packed(const std::vector<data::Example>& pairs, const PairRows& rows, int64_t parts) {
  std::vector<data::Example> sized;
  for (const data::Example& example : pairs) sized.push_back(to_packed_size(example, rows, {{"input_ids", 9}}));
  const int64_t in_part = std::ssize(pairs) / parts;
  const data::PackOptions options{.shapes = {.examples = in_part,
                                             .rows = {2 / parts},
                                             .length = rows.length,
                                             .window = std::ssize(pairs),
                                             .parts = parts},
                                  .columns = {"input_ids"},
                                  .pad_values = {{"input_ids", 9}, {"labels", -100}}};
  return with_packed_targets(*data::from_examples(sized).pack(options).iterate().next(), rows);
}

auto values(const data::Example& batch, std::string_view column) { return batch.tensor(column).as<int32_t>(); }

TEST(PairRows, APairTakesTheRoomOfItsLongerText) {
  const PairRows rows(7, 3);
  EXPECT_EQ(rows.ratio, 2);
  EXPECT_EQ(rows.target_length(), 4);
  EXPECT_EQ(rows.size_of({5, 1}), 5);
  EXPECT_EQ(rows.size_of({3, 3}), 6);
  EXPECT_EQ(PairRows(8, 16).ratio, 1);
}

TEST(PackedPairs, TargetsLieInTheRowsOfTheirSources) {
  const PairRows rows(6, 3);
  // Sizes 3, 4 and 2: the first and the last share a row.
  const data::Example batch = packed({pair(10, 3, {1}), pair(20, 1, {2, 3}), pair(30, 2, {4})}, rows, 1);
  EXPECT_THAT(values(batch, "input_ids"), ElementsAre(20, 9, 9, 9, 30, 31, 10, 11, 12, 9, 9, 9));
  EXPECT_THAT(values(batch, "attention_mask"), ElementsAre(2, 0, 0, 0, 3, 3, 1, 1, 1, 0, 0, 0));
  EXPECT_THAT(values(batch, "position_ids"), ElementsAre(0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0, 0));
  EXPECT_THAT(values(batch, kTargetMask), ElementsAre(2, 2, 3, 1, 0, 0));
  EXPECT_THAT(values(batch, kTargetPositions), ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(values(batch, kTargetPlaces), ElementsAre(3, -1, -1, 0, 1, -1, 2, -1, -1));
  EXPECT_THAT(values(batch, "labels"), ElementsAre(1, -100, -100, 2, 3, -100, 4, -100, -100));
  EXPECT_FALSE(batch.has(data::kTokenPlaces));
  ASSERT_EQ(batch.batch_types().size(), 1u);
  for (const auto& [name, type] : batch.batch_types()[0]) EXPECT_EQ(type, batch.tensor(name).type()) << name;
}

TEST(PackedPairs, EachPartHasNumbersOfItsOwn) {
  const data::Example batch = packed({pair(10, 6, {1}), pair(20, 5, {2, 3})}, PairRows(6, 3), 2);
  EXPECT_THAT(values(batch, "attention_mask"), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0));
  EXPECT_THAT(values(batch, kTargetMask), ElementsAre(1, 0, 0, 1, 1, 0));
  EXPECT_EQ(batch.tensor(kTargetPlaces).shape(), (Shape{2, 1, 3}));
  EXPECT_THAT(values(batch, kTargetPlaces), ElementsAre(0, -1, -1, 0, 1, -1));
}

}  // namespace
}  // namespace portatune::tasks
