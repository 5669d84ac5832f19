#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;

Example ids(std::initializer_list<int32_t> values) {
  return Example().set("ids", Tensor({static_cast<int64_t>(values.size())}, values)).set("text", std::string("x"));
}

std::vector<std::vector<int32_t>> blocks_of(const Dataset& dataset, int64_t size) {
  std::vector<std::vector<int32_t>> result;
  for (const Example& block : dataset.blocks("ids", size).iterate()) {
    EXPECT_EQ(block.columns().size(), 1u);
    const auto values = block.tensor("ids").as<int32_t>();
    result.emplace_back(values.begin(), values.end());
  }
  return result;
}

TEST(Blocks, ContainAllTokensInOrder) {
  const Dataset dataset = from_examples({ids({1, 2}), ids({3, 4, 5, 6, 7}), ids({}), ids({8})});
  EXPECT_THAT(blocks_of(dataset, 3), ElementsAre(ElementsAre(1, 2, 3), ElementsAre(4, 5, 6), ElementsAre(7, 8)));
  EXPECT_THAT(blocks_of(dataset, 4), ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(5, 6, 7, 8)));
  EXPECT_THAT(blocks_of(dataset, 100), ElementsAre(ElementsAre(1, 2, 3, 4, 5, 6, 7, 8)));
}

TEST(Blocks, OfAnEmptyDatasetAreEmpty) {
  EXPECT_TRUE(blocks_of(from_examples({}), 3).empty());
  EXPECT_TRUE(blocks_of(from_examples({ids({}), ids({})}), 3).empty());
}

TEST(Blocks, RequireASize) { EXPECT_THROW(from_examples({}).blocks("ids", 0), UsageError); }

}  // namespace
}  // namespace portatune::data
