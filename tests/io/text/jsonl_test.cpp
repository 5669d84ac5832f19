#include "portatune/io/text/jsonl.h"

#include "io/table_file.h"
#include "portatune/error.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

using JsonRow = std::vector<std::pair<std::string, std::string>>;

std::vector<JsonRow> read_jsonl(std::string_view text, std::vector<std::string> columns = {}, int64_t max_line = 1000) {
  JsonlReader reader(write_file("in.jsonl", text), std::move(columns), max_line);
  std::vector<JsonRow> rows;
  while (reader.next()) {
    JsonRow& row = rows.emplace_back();
    for (const auto& field : reader.fields()) row.emplace_back(field.key, field.value);
  }
  return rows;
}

}  // namespace

TEST(Jsonl, StringsAreUnescaped) {
  EXPECT_EQ(read_jsonl(R"({"a": "x \"y\" \n \u00e9 \ud83d\ude00", "k\u0065y": "é"})"),
            (std::vector<JsonRow>{{{"a", "x \"y\" \n é 😀"}, {"key", "é"}}}));
}

TEST(Jsonl, OtherPlainValuesKeepTheirSpelling) {
  EXPECT_EQ(
      read_jsonl(R"({"a":1,"b":-1.50e+3 ,"c":true,"d":false,"e":123456789012345678901234567890,"f":0,"g":1e999})"),
      (std::vector<JsonRow>{{{"a", "1"},
                             {"b", "-1.50e+3"},
                             {"c", "true"},
                             {"d", "false"},
                             {"e", "123456789012345678901234567890"},
                             {"f", "0"},
                             {"g", "1e999"}}}));
}

TEST(Jsonl, NullIsAnEmptyText) { EXPECT_EQ(read_jsonl(R"({"a": null})"), (std::vector<JsonRow>{{{"a", ""}}})); }

TEST(Jsonl, EmptyLinesCrLfAndByteOrderMarkAreAccepted) {
  const std::vector<JsonRow> rows{{{"a", "1"}}, {{"a", "2"}}, {{"a", "3"}}};
  EXPECT_EQ(read_jsonl("\xEF\xBB\xBF{\"a\":1}\r\n\r\n  \n {\"a\": 2 } \n{\"a\":3}"), rows);
}

TEST(Jsonl, LineIsCountedWithEmptyLines) {
  JsonlReader reader(write_file("in.jsonl", "\n{\"a\":1}\n\n{\"a\":2}\n"), {});
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 2);
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 4);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(Jsonl, ObjectsMayCrossBlocksAnywhere) {
  const std::string tail = "{\"b\":\"\\u20ac \xE2\x82\xAC\"}\r\n{\"c\":1}";
  for (size_t shift = 0; shift <= tail.size(); ++shift) {
    const std::string head(256 * 1024 - shift - 9, 'h');
    const std::string line = "{\"a\":\"" + head + "\"}\n";
    EXPECT_EQ(read_jsonl(line + tail, {}, 1 << 20),
              (std::vector<JsonRow>{{{"a", head}}, {{"b", "\xE2\x82\xAC \xE2\x82\xAC"}}, {{"c", "1"}}}))
        << "shift " << shift;
  }
}

TEST(Jsonl, OnlyRequestedColumnsAreRead) {
  EXPECT_EQ(read_jsonl(R"({"meta": {"x": [1, {}]}, "a": "1", "n": [[]], "b": 2})", {"b", "a"}),
            (std::vector<JsonRow>{{{"a", "1"}, {"b", "2"}}}));
}

TEST(Jsonl, ListsAndObjectsKeepTheirSpelling) {
  EXPECT_EQ(read_jsonl(R"({"a": [ "x\u00e9", 1.0,null ] , "b":{"c": [{}], "d":"]}"}, "e": [], "f": {} , "g":2})"),
            (std::vector<JsonRow>{{{"a", R"([ "x\u00e9", 1.0,null ])"},
                                   {"b", R"({"c": [{}], "d":"]}"})"},
                                   {"e", "[]"},
                                   {"f", "{}"},
                                   {"g", "2"}}}));
}

TEST(Jsonl, OtherValuesThanObjectsAreRefused) {
  expect_error<DataError>([] { read_jsonl("[{\"a\": 1}]"); }, {"in.jsonl:1", "'[{\"a\": 1}]'", "jq"});
  expect_error<DataError>([] { read_jsonl("{\"a\": 1}\nhello"); }, {"in.jsonl:2", "'hello'"});
}

class JsonlRefuses : public testing::TestWithParam<const char*> {};
TEST_P(JsonlRefuses, MalformedLine) {
  expect_error<DataError>([] { read_jsonl("{\"a\": 1}\n" + std::string(GetParam())); }, {"in.jsonl:2"});
}
INSTANTIATE_TEST_SUITE_P(Lines, JsonlRefuses,
                         testing::Values(R"({"a": 1)", R"({"a": "x)", R"({"a" 1})", R"({"a": 1} {"b": 2})",
                                         R"({"a": 1}x)", R"({"a": 1,})", R"({"a": NaN})", R"({"a": -Infinity})",
                                         R"({"a": 012})", R"({"a": 1x})", R"({"a": 1.})", R"({"a": .5})",
                                         R"({"a": +1})", R"({"a": -})", R"({"a": 1e})", R"({"a": True})",
                                         R"({"a": nullx})", R"({"a": "\ud800"})", R"({"a": "\x"})", R"({"a": 'x'})",
                                         R"({a: 1})", R"({"a": })", "{", "}", "{\"a\": \"tab\t\"}", R"({"a": 1]})",
                                         R"({"a": 1 2})", R"({"a": "x" "y"})", R"({"a": [1})", R"({"a": [1)",
                                         R"({"a": {"b": 1})", R"({"a": [1]]})"));

TEST(Jsonl, DoubledKeyIsRefused) {
  expect_error<DataError>([] { read_jsonl(R"({"a": 1, "b": 2, "\u0061": 3})"); }, {"in.jsonl:1", "key 'a' twice"});
}

TEST(Jsonl, TooManyKeysAreRefused) {
  std::string line = "{\"k0\":1";
  for (size_t i = 1; i < JsonlReader::kMaxKeys; ++i) line += ",\"k" + std::to_string(i) + "\":1";
  EXPECT_EQ(read_jsonl(line + "}", {"k7"}, 1 << 20), (std::vector<JsonRow>{{{"k7", "1"}}}));
  expect_error<BadRecordError>([&] { read_jsonl(line + ",\"more\":1}", {"k7"}, 1 << 20); },
                               {"in.jsonl:1", "more than 16,384 keys"});
}

TEST(Jsonl, InvalidUtf8IsAnErrorWithLineAndByte) {
  expect_error<DataError>([] { read_jsonl("{}\n{\"a\": \"\xFF\"}"); }, {"in.jsonl:2", "0xff at byte offset 10"});
}

TEST(Jsonl, AnOverlongLineIsRefused) {
  const std::string line = "{\"a\": \"123\"}";
  EXPECT_EQ(read_jsonl(line + "\n", {}, 12).size(), 1u);
  expect_error<DataError>([&] { read_jsonl(line + "\n", {}, 11); }, {"in.jsonl:1", "more than 11 bytes"});
}

TEST(Jsonl, DeepNestingInUnreadValuesIsAccepted) {
  const std::string deep = "{\"a\": 1, \"b\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(read_jsonl(deep, {"a"}, 1 << 20), (std::vector<JsonRow>{{{"a", "1"}}}));
}

}  // namespace portatune::io
