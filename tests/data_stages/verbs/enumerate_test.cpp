#include <gtest/gtest.h>

#include "data_stages/numbers.h"

namespace portatune::data {
namespace {

int64_t number(const Example& example, std::string_view column) { return example.tensor(column).as<int64_t>()[0]; }

TEST(Enumerate, AddsIndexAndEpoch) {
  Cursor cursor = numbers(2).enumerate().repeat(2).iterate();
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    for (int64_t index = 0; index < 2; ++index) {
      const auto example = cursor.next();
      EXPECT_EQ(number(*example, "index"), index);
      EXPECT_EQ(number(*example, "epoch"), epoch);
    }
  }
  EXPECT_FALSE(cursor.next());
}

TEST(Enumerate, IndicesStayWithTheirExamplesAfterShuffle) {
  for (const Example& example : numbers(20).enumerate().shuffle({.buffer = 20, .seed = 3}).iterate(5)) {
    EXPECT_EQ(std::to_string(number(example, "index")), example.text("n"));
    EXPECT_EQ(number(example, "epoch"), 5);
  }
}

TEST(Enumerate, CountsSkippedExamples) {
  Cursor cursor = numbers(5).enumerate().iterate();
  cursor.skip(3);
  EXPECT_EQ(number(*cursor.next(), "index"), 3);
}

}  // namespace
}  // namespace portatune::data
