#include <gtest/gtest.h>

#include "io/table_file.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

Origin row_17() { return {std::make_shared<const std::string>("train.csv"), 17}; }

}  // namespace

TEST(Example, KeepsColumnsInTheOrderTheyWereSet) {
  Example example;
  example.set("b", "1").set("a", Tensor({2}, {1.0f, 2.0f})).set("b", "2");
  ASSERT_EQ(example.columns().size(), 2u);
  EXPECT_EQ(example.columns()[0].name, "b");
  EXPECT_EQ(example.text("b"), "2");
  EXPECT_EQ(example.tensor("a").as<float>()[1], 2.0f);
  EXPECT_FALSE(example.erase("b").has("b"));
  EXPECT_TRUE(example.has("a"));
}

TEST(Example, MissingColumnNamesOriginColumnsAndTheNearestName) {
  Example example(row_17());
  example.set("sentence", "x").set("label", "1");
  expect_error<DataError>([&] { example.text("sentense"); },
                          {"train.csv:17", "'sentence', 'label'", "a column 'sentense'", "did you mean 'sentence'?"});
  EXPECT_THROW(Example().text("a"), DataError);
}

TEST(Example, SuggestsOnlySimilarNames) {
  Example example;
  example.set("sentence", "x");
  try {
    example.text("label");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.report().fix, "");
  }
}

TEST(Example, ErrorNamesAnotherKindOfValue) {
  Example example(row_17());
  example.set("ids", Tensor({3}, {1, 2, 3}));
  expect_error<DataError>([&] { example.text("ids"); },
                          {"train.csv:17", "an array int32[3] in column 'ids'", "a text"});
}

TEST(Origin, PrintsFileAndLine) {
  EXPECT_EQ(to_string(row_17()), "train.csv:17");
  EXPECT_EQ(to_string(Origin{.row = 3}), "example 3");
  EXPECT_EQ(to_string(Origin{}), "an example");
}

TEST(Origin, PrintsEachFileOnce) {
  const auto file = std::make_shared<const std::string>("train.csv"),
             other = std::make_shared<const std::string>("b.csv");
  EXPECT_EQ(to_string(std::vector<Origin>{row_17(), {file, 3}, {other, 5}, {other, 2}, Origin{}}),
            "train.csv:17, 3; b.csv:5, 2; an example");
  EXPECT_EQ(to_string(std::vector<Origin>{}), "");
}

}  // namespace portatune::data
