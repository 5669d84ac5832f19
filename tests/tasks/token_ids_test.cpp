#include "portatune/tasks/rows/token_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::tasks {
namespace {

using data::Example;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Example row() { return Example(data::Origin{std::make_shared<const std::string>("ids.jsonl"), 7}); }

std::string refusal_of(const Example& row) {
  return message_of<DataError>([&] { token_ids_in(row); });
}

TEST(IntegersInAColumn, AreAnArrayAListOrOneNumber) {
  EXPECT_THAT(integers_in(row().set("n", "[1, -2, 2147483647]"), "n"), ElementsAre(1, -2, 2147483647));
  EXPECT_THAT(integers_in(row().set("n", "7"), "n"), ElementsAre(7));
  EXPECT_THAT(integers_in(row().set("n", "[]"), "n"), IsEmpty());
  EXPECT_THAT(integers_in(row().set("n", Tensor({2}, {int64_t{3}, int64_t{4}})), "n"), ElementsAre(3, 4));
  EXPECT_THAT(integers_in(row().set("n", Tensor({2}, {3, 4})), "n"), ElementsAre(3, 4));
  // A list without values has no type in TFRecords.
  EXPECT_THAT(integers_in(row().set("n", Tensor({0}, std::initializer_list<float>{})), "n"), IsEmpty());
}

TEST(IntegersInAColumn, RejectMoreThan32Bits) {
  for (const char* text : {"2147483648", "-2147483649", "[1, 9223372036854775807]", "18446744073709551615"}) {
    EXPECT_THAT(message_of<DataError>([&] { integers_in(row().set("n", text), "n"); }),
                AllOf(HasSubstr("ids.jsonl:7"), HasSubstr("\"n\""), HasSubstr("integers of 32 bits")))
        << text;
  }
  const Example array = row().set("n", Tensor({1}, {int64_t{1} << 31}));
  EXPECT_THAT(message_of<DataError>([&] { integers_in(array, "n"); }), HasSubstr("2147483648"));
}

TEST(IntegersInAColumn, RejectOtherTypes) {
  for (const char* text : {"[1, 2.5]", "[\"1\"]", "[[1]]", "{\"a\": 1}", "true", "null", "1 2", "", "one"}) {
    EXPECT_THAT(message_of<DataError>([&] { integers_in(row().set("n", text), "n"); }),
                AllOf(HasSubstr("ids.jsonl:7"), HasSubstr("\"n\"")))
        << text;
  }
  const Example floats = row().set("n", Tensor({1}, {1.0f}));
  EXPECT_THAT(message_of<DataError>([&] { integers_in(floats, "n"); }), HasSubstr("a list of integers"));
}

TEST(TokenIdsOfARow, HaveTypesIfTheRowHasThem) {
  const TokenIds plain = token_ids_in(row().set("input_ids", "[5, 6]"));
  EXPECT_THAT(plain.ids, ElementsAre(5, 6));
  EXPECT_THAT(plain.type_ids, IsEmpty());
  const TokenIds pair = token_ids_in(row().set("input_ids", "[5, 6]").set("token_type_ids", "[0, 1]"));
  EXPECT_THAT(pair.type_ids, ElementsAre(0, 1));
}

TEST(TokenIdsOfARow, EndBeforeThePadding) {
  const TokenIds tokens = token_ids_in(row()
                                           .set("input_ids", "[5, 6, 0, 0]")
                                           .set("token_type_ids", "[0, 1, 0, 0]")
                                           .set("attention_mask", "[1, 1, 0, 0]"));
  EXPECT_THAT(tokens.ids, ElementsAre(5, 6));
  EXPECT_THAT(tokens.type_ids, ElementsAre(0, 1));
  EXPECT_THAT(token_ids_in(row().set("input_ids", "[5]").set("attention_mask", "[1]")).ids, ElementsAre(5));
  EXPECT_THAT(token_ids_in(row().set("input_ids", "[5]").set("attention_mask", "[0]")).ids, IsEmpty());
}

TEST(TokenIdsOfARow, RejectOtherMasks) {
  for (const char* mask : {"[0, 1, 1]", "[1, 0, 1]", "[1, 2, 0]", "[1, 0, -1]"}) {
    EXPECT_THAT(refusal_of(row().set("input_ids", "[5, 6, 7]").set("attention_mask", mask)),
                AllOf(HasSubstr("ids.jsonl:7"), HasSubstr("attention_mask"), HasSubstr("padding at the end")))
        << mask;
  }
}

TEST(TokenIdsOfARow, RejectAnotherNumberOfTypes) {
  EXPECT_THAT(
      refusal_of(row().set("input_ids", "[5, 6]").set("token_type_ids", "[0]")),
      AllOf(HasSubstr("ids.jsonl:7"), HasSubstr("1 values in column \"token_type_ids\""), HasSubstr("2, as in")));
  EXPECT_THAT(refusal_of(row().set("input_ids", "[5]").set("attention_mask", "[1, 0]")), HasSubstr("attention_mask"));
}

// The columns that a text task reads from a file with one row, after an invalid one.
std::vector<std::string> columns_for(const std::string& row) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "rows.jsonl";
  std::ofstream(file) << "{broken\n" << row << "\n";
  return text_or_id_columns({file}, {}, {"text", "text_pair"});
}

TEST(TextOrIdColumns, AreIdsWithoutAText) {
  const auto texts = ElementsAre("text", "text_pair");
  EXPECT_THAT(columns_for(""), texts);
  EXPECT_THAT(columns_for(R"({"other": "x"})"), texts);
  EXPECT_THAT(columns_for(R"({"text": "x", "input_ids": [1]})"), texts);
  EXPECT_THAT(columns_for(R"({"input_ids": [1]})"), ElementsAre("input_ids"));
  EXPECT_THAT(columns_for(R"({"input_ids": [1], "attention_mask": [1], "label": 0})"),
              ElementsAre("input_ids", "attention_mask"));
}

}  // namespace
}  // namespace portatune::tasks
