#include "portatune/io/text/csv.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows read_all(CsvReader reader) {
  Rows rows;
  while (reader.next()) rows.emplace_back(reader.fields().begin(), reader.fields().end());
  return rows;
}

Rows read_csv(std::string_view text, CsvFormat format = {}) {
  return read_all(CsvReader(write_file("in.csv", text), format));
}

std::string golden(const std::string& name) { return std::string(PORTATUNE_TEST_DATA "/csv/") + name; }

Rows recorded(const std::string& name) { return nlohmann::json::parse(std::ifstream(golden(name))).get<Rows>(); }

}  // namespace

TEST(Csv, ReadsLikePython) { EXPECT_EQ(read_all(CsvReader(golden("nasty.csv"))), recorded("nasty.csv.json")); }

TEST(Csv, ReadsUnquotedTsvLikePython) {
  EXPECT_EQ(read_all(CsvReader(golden("nasty.tsv"), {.delimiter = '\t', .quoting = false})),
            recorded("nasty.tsv.json"));
}

TEST(Csv, LineIsWhereTheRecordBegins) {
  CsvReader reader(write_file("in.csv", "a\r\n\r\n\"two\nlines\"\nb\rc"));
  std::vector<int64_t> lines;
  while (reader.next()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<int64_t>{1, 3, 5, 6}));
}

TEST(Csv, LinesWithinFieldsAreCountedOnce) {
  CsvReader reader(write_file("in.csv", "a\n\"\"\"\n\"\nb\n"));  // the second record is a quote and a line end
  std::vector<int64_t> lines;
  while (reader.next()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<int64_t>{1, 2, 4}));
}

TEST(Csv, RecordsMayCrossBlocksAnywhere) {
  // The reader takes blocks of 256 KB. Each byte of the second record is the first byte of a block once.
  const std::string tail = "\"x\"\"\r\ny\",\"\xE2\x82\xAC\"\r\nu,v\r\n";
  for (size_t shift = 0; shift <= tail.size(); ++shift) {
    const std::string head(256 * 1024 - shift - 3, 'h');
    const Rows rows = read_csv(head + ",h\n" + tail);
    EXPECT_EQ(rows, (Rows{{head, "h"}, {"x\"\r\ny", "\xE2\x82\xAC"}, {"u", "v"}})) << "shift " << shift;
  }
}

TEST(Csv, AFieldMayBeLongerThanABlock) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(read_csv("a,\"" + text + "\"\nb,c\n"), (Rows{{"a", text}, {"b", "c"}}));
}

TEST(Csv, AnEmptyFileHasNoRecords) {
  EXPECT_TRUE(read_csv("").empty());
  EXPECT_TRUE(read_csv("\xEF\xBB\xBF\n\r\n").empty());
}

TEST(Csv, MissingFileIsNotFound) {
  expect_error<NotFoundError>([] { CsvReader("no/such.csv"); }, {"no/such.csv"});
}

TEST(Csv, AFolderCannotBeRead) {
  expect_error<IoError>([] { read_all(CsvReader(testing::TempDir())); }, {"a folder"});
}

TEST(Csv, ARaggedRowIsAnErrorWithBothCounts) {
  expect_error<DataError>([] { read_csv("a,b\n1,2\n\n1,2,3\n"); }, {"in.csv:4", "3 fields", "2 fields, as on line 1"});
  expect_error<DataError>([] { read_csv("a,b\n1\n"); }, {"in.csv:2", "1 field\n", "2 fields"});
}

TEST(Csv, AnUnclosedQuoteIsAnErrorWithItsFirstLine) {
  expect_error<DataError>([] { read_csv("a,b\n\"x\ny\",\"1\n2,3\n"); }, {"in.csv:3", "a closing quote"});
}

TEST(Csv, TextAfterAClosingQuoteIsRefused) {
  expect_error<DataError>([] { read_csv("a,b\n\"x\ny\"z,1\n"); }, {"in.csv:3", "text after a closing quote"});
}

TEST(Csv, InvalidUtf8IsAnErrorWithLineAndByte) {
  expect_error<DataError>([] { read_csv("a,b\n1,caf\xE9\n"); }, {"in.csv:2", "0xe9 at byte offset 9", "UTF-8"});
  expect_error<DataError>(
      [] {
        read_csv(
            "\xEF\xBB\xBF"
            "a\n\"\n\xED\xA0\x80\"");
      },
      {"in.csv:3", "0xed at byte offset 7"});
  expect_error<DataError>([] { read_csv("a\n\xE2\x82"); }, {"in.csv:2", "0xe2 at byte offset 2"});
}

TEST(Csv, NulIsRefused) {
  expect_error<DataError>([] { read_csv(std::string("a,b\n1,\0x\n", 9)); }, {"in.csv:2", "a NUL at byte offset 6"});
}

TEST(Csv, LimitsHold) {
  EXPECT_EQ(read_csv("a,1234\n", {.max_field_bytes = 4}).size(), 1u);
  expect_error<DataError>([] { read_csv("a,b\nc,12345\n", {.max_field_bytes = 4}); },
                          {"in.csv:2", "more than 4 bytes"});
  expect_error<DataError>([] { read_csv("a\n\"12345", {.max_field_bytes = 4}); },
                          {"in.csv:2", "missing closing quote"});
  expect_error<DataError>([] { read_csv("abc,abc,abc\n", {.max_record_bytes = 8}); }, {"record of more than 8 bytes"});
  expect_error<DataError>([] { read_csv("a,b,c\n", {.max_fields = 2}); }, {"more than 2 fields"});
}

TEST(Csv, FieldsAreReadAsTheyAreWritten) {
  const std::vector<std::string> texts = {"plain",        "a,b",      "say \"yes\"", "two\nlines",
                                          "two\r\nlines", " spaces ", "'",           ""};
  std::string line;
  for (const std::string& text : texts) line += csv_field(text) + ",";
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("say \"yes\""), "\"say \"\"yes\"\"\"");
  auto fields = texts;
  fields.emplace_back();
  EXPECT_EQ(read_csv(line + "\n"), std::vector({fields}));
}

TEST(Csv, AFieldOfMoreThan16MegabytesIsRefused) {
  const std::string text(17 << 20, 'x');
  expect_error<DataError>([&] { read_csv("a\n" + text + "\n"); }, {"in.csv:2", "more than 16,777,216 bytes"});
  EXPECT_EQ(read_csv("a\n" + text.substr(0, 16 << 20) + "\n").size(), 2u);
}

}  // namespace portatune::io
