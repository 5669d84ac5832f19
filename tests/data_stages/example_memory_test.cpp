#include "portatune/data/example_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/numbers.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;

Example row_at(int64_t line, const std::string& n) {
  Example row(Origin{std::make_shared<const std::string>("rows.csv"), line});
  return row.set("n", n);
}

// A function that makes two numbers of one, and counts its calls.
struct Doubling {
  int calls = 0;
  std::vector<Example> operator()(const Example& row) {
    ++calls;
    std::vector<Example> made(2, Example(row.origin()));
    for (Example& example : made) example.set("n", row.text("n") + row.text("n"));
    return made;
  }
};

TEST(ExampleMemory, CallsTheFunctionOnceForARow) {
  ExampleMemory memory(1 << 20);
  Doubling f;
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<Example> made = memory.get("f", row_at(3, "7"), std::ref(f));
    ASSERT_EQ(made.size(), 2u);
    EXPECT_EQ(made[1].text("n"), "77");
    EXPECT_EQ(to_string(made[1].origin()), "rows.csv:3");
  }
  EXPECT_EQ(f.calls, 1);
  memory.get("f", row_at(4, "7"), std::ref(f));  // another row with the same columns
  memory.get("f", row_at(3, "8"), std::ref(f));  // other columns
  memory.get("g", row_at(3, "7"), std::ref(f));  // another function
  EXPECT_EQ(f.calls, 4);
}

TEST(ExampleMemory, KeepsNoRowBeyondItsBytes) {
  Doubling f;
  ExampleMemory of_one_row(1 << 20);
  of_one_row.get("f", row_at(1, "1"), std::ref(f));
  ExampleMemory memory(of_one_row.bytes());
  for (int pass = 0; pass < 2; ++pass) {
    for (const char* n : {"1", "2"}) EXPECT_EQ(memory.get("f", row_at(1, n), std::ref(f))[0].text("n")[0], n[0]);
  }
  EXPECT_EQ(f.calls, 1 + 1 + 2);
  EXPECT_EQ(memory.bytes(), of_one_row.bytes());
}

TEST(ExampleMemory, KeepsNoRowThatTheFunctionRefuses) {
  ExampleMemory memory(1 << 20);
  const ExampleMemory::Function refuse = [](const Example&) -> std::vector<Example> {
    throw DataError({.where = "row", .given = "a fault"});
  };
  for (int pass = 0; pass < 2; ++pass) EXPECT_THROW(memory.get("f", row_at(1, "1"), refuse), DataError);
  EXPECT_EQ(memory.bytes(), 0);
}

}  // namespace
}  // namespace portatune::data
