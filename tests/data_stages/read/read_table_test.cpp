#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/data/read/map_rows.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using Row = std::vector<std::pair<std::string, std::string>>;
using Rows = std::vector<Row>;

Rows rows_of(const Dataset& dataset) {
  Rows rows;
  for (const Example& example : dataset.iterate()) {
    Row& row = rows.emplace_back();
    for (const Example::Entry& entry : example.columns()) row.emplace_back(entry.name, example.text(entry.name));
  }
  return rows;
}

}  // namespace

TEST(ReadCsv, HeaderNamesTheColumnsAndValuesStayTexts) {
  const std::string path = write_file("a.csv", "id,text\r\n007,\"a, b\"\r\n1.0,\r\n");
  EXPECT_EQ(rows_of(read_csv(path)), (Rows{{{"id", "007"}, {"text", "a, b"}}, {{"id", "1.0"}, {"text", ""}}}));
}

TEST(ReadCsv, ReadsTheRequestedColumnsInOrder) {
  const std::string path = write_file("a.csv", "a,b,c\n1,2,3\n");
  EXPECT_EQ(rows_of(read_csv(path, {.columns = {"c", "a"}})), (Rows{{{"c", "3"}, {"a", "1"}}}));
}

TEST(ReadCsv, WithoutAHeaderTheNamesAreGiven) {
  const std::string path = write_file("a.csv", "1,2\n3,4\n");
  EXPECT_EQ(rows_of(read_csv(path, {.header = false, .names = {"x", "y"}})),
            (Rows{{{"x", "1"}, {"y", "2"}}, {{"x", "3"}, {"y", "4"}}}));
  EXPECT_EQ(rows_of(read_csv(path, {.header = false, .names = {"x", "y"}, .columns = {"y"}})),
            (Rows{{{"y", "2"}}, {{"y", "4"}}}));
  expect_error<DataError>([&] { rows_of(read_csv(path, {.header = false, .names = {"x"}})); },
                          {"a.csv:1", "2 fields", "1, the number of names"});
  EXPECT_THROW(read_csv(path, {.header = false}), UsageError);
  EXPECT_THROW(read_csv(path, {.names = {"x", "y"}}), UsageError);
}

TEST(ReadCsv, OriginIsTheLine) {
  Cursor cursor = read_csv(write_file("a.csv", "a\n\n\"x\ny\"\nz\n")).iterate();
  EXPECT_THAT(to_string(cursor.next()->origin()), testing::EndsWith("a.csv:3"));
  EXPECT_THAT(to_string(cursor.next()->origin()), testing::EndsWith("a.csv:5"));
}

TEST(ReadCsv, ReadsFilesInOrder) {
  const std::string a = write_file("a.csv", "x,y\n1,2\n");
  const std::string b = write_file("b.csv", "y,x\n3,4\n");
  EXPECT_EQ(rows_of(read_csv({a, b}, {.columns = {"x"}})), (Rows{{{"x", "1"}}, {{"x", "4"}}}));
}

TEST(ReadCsv, AMissingFileIsAnErrorAtOnce) {
  const std::string path = write_file("a.csv", "x\n1\n");
  expect_error<NotFoundError>([&] { read_csv({path, "no/such.csv"}); }, {"no/such.csv"});
  EXPECT_THROW(read_csv(std::vector<std::string>{}), UsageError);
}

TEST(ReadCsv, AFileWithoutRowsIsAnError) {
  for (const char* content : {"", "\n\n", "a,b\n"}) {
    const std::string path = write_file("empty.csv", content);
    expect_error<DataError>([&] { rows_of(read_csv(path)); }, {"empty.csv", "no rows"});
  }
}

TEST(ReadTable, ErrorOfAMissingFileSuggestsASimilarName) {
  std::string path = write_file("train.csv", "x\n1\n");
  path.replace(path.size() - 9, 9, "trian.csv");
  expect_error<NotFoundError>([&] { read_table(path); },
                              {"trian.csv", "no such file", "did you mean ReadTable.", ".train.csv?"});
}

TEST(ReadTable, ErrorOfAMissingColumnNamesItsOption) {
  const std::string csv = write_file("a.csv", "x,y\n1,2\n"), lines = write_file("a.jsonl", "{\"x\": 1}\n");
  for (const std::string& path : {csv, lines}) {
    const auto read = [&](const std::string& column) { rows_of(read_table(path, {.columns = {column}})); };
    expect_error<DataError>([&] { read("tokens"); }, {"--tokens-column NAME, or --rename-columns NAME=tokens"});
    expect_error<DataError>([&] { read("sent1"); }, {"--context-column NAME, or"});
    expect_error<DataError>([&] { read("question"); }, {"if it has another name: --rename-columns NAME=question"});
  }
}

TEST(ReadCsv, ColumnNamesMustDiffer) {
  const std::string path = write_file("a.csv", "a,b,a\n1,2,3\n");
  expect_error<DataError>([&] { rows_of(read_csv(path)); }, {"a.csv:1", "two columns 'a'"});
}

TEST(ReadCsv, ErrorOfAMissingColumnListsTheColumns) {
  const std::string path = write_file("a.csv", "sentence,label\nx,1\n");
  expect_error<DataError>([&] { rows_of(read_csv(path, {.columns = {"Sentence"}})); },
                          {"a.csv:1", "'sentence', 'label'", "a column 'Sentence'", "did you mean 'sentence'?"});
}

TEST(ReadTsv, QuotesAreTextByDefault) {
  const std::string path = write_file("a.tsv", "a\tb\n\"x\"\ty\n");
  EXPECT_EQ(rows_of(read_tsv(path)), (Rows{{{"a", "\"x\""}, {"b", "y"}}}));
  EXPECT_EQ(rows_of(read_tsv(path, {.quoting = true})), (Rows{{{"a", "x"}, {"b", "y"}}}));
}

TEST(ReadJsonl, LabelsReadAsInCsv) {
  const std::string path = write_file("a.jsonl", "{\"text\":\"x\",\"label\":1}\n{\"label\":\"pos\",\"text\":null}\n");
  EXPECT_EQ(rows_of(read_jsonl(path)), (Rows{{{"text", "x"}, {"label", "1"}}, {{"label", "pos"}, {"text", ""}}}));
  EXPECT_EQ(rows_of(read_jsonl(path, {.columns = {"label"}})), (Rows{{{"label", "1"}}, {{"label", "pos"}}}));
}

TEST(ReadJsonl, ErrorOfAMissingKeyListsTheKeys) {
  const std::string path = write_file("a.jsonl", "{\"text\":\"x\",\"label\":1}\n{\"text\":\"y\"}\n");
  expect_error<DataError>([&] { rows_of(read_jsonl(path, {.columns = {"label"}})); },
                          {"a.jsonl:2", "columns 'text'", "a column 'label'"});
}

TEST(ReadJsonl, AFileWithoutRowsIsAnError) {
  expect_error<DataError>([] { rows_of(read_jsonl(write_file("empty.jsonl", "\n\n"))); }, {"empty.jsonl", "no rows"});
}

TEST(ReadJsonl, ListsAreTheirJson) {
  EXPECT_EQ(rows_of(read_jsonl(write_file("a.jsonl", "{\"tokens\": [\"a\", \"b\"], \"n\": {\"x\": 1}}\n"))),
            (Rows{{{"tokens", "[\"a\", \"b\"]"}, {"n", "{\"x\": 1}"}}}));
}

TEST(ReadConll, SentencesAreRowsWithJsonLists) {
  const std::string path = write_file("a.conll", "\"EU\" B-ORG\nrejects O\n\nGerman B-MISC\n");
  EXPECT_EQ(rows_of(read_conll(path)), (Rows{{{"tokens", R"(["\"EU\"","rejects"])"}, {"ner_tags", R"(["B-ORG","O"])"}},
                                             {{"tokens", R"(["German"])"}, {"ner_tags", R"(["B-MISC"])"}}}));
  EXPECT_EQ(rows_of(read_conll(path, {.tokens_column = "words", .tags_column = ""}))[1],
            (Row{{"words", R"(["German"])"}}));
  Cursor cursor = read_conll(path).iterate();
  cursor.next();
  EXPECT_THAT(to_string(cursor.next()->origin()), testing::EndsWith("a.conll:4"));
}

TEST(ReadConll, MissingTagsAreAnErrorIfRequested) {
  const std::string path = write_file("a.conll", "EU\n");
  expect_error<DataError>([&] { rows_of(read_conll(path)); }, {"a.conll:1", "one column"});
  EXPECT_EQ(rows_of(read_conll(path, {.tags_column = ""})), (Rows{{{"tokens", R"(["EU"])"}}}));
  expect_error<DataError>([] { rows_of(read_conll(write_file("empty.conll", "\n"))); }, {"empty.conll", "no rows"});
}

TEST(ReadTable, ChoosesByExtension) {
  const Rows rows{{{"a", "1"}, {"b", "2"}}};
  EXPECT_EQ(rows_of(read_table(write_file("t.csv", "a,b\n1,2\n"))), rows);
  EXPECT_EQ(rows_of(read_table(write_file("t.tsv", "a\tb\n1\t2\n"))), rows);
  EXPECT_EQ(rows_of(read_table(write_file("t.jsonl", "{\"a\":1,\"b\":2}\n"))), rows);
  EXPECT_EQ(rows_of(read_table(write_file("t.csv", "c,b,a\n3,2,1\n"), {.columns = {"a", "b"}})), rows);
}

TEST(ReadTable, FilesMayHaveNoHeader) {
  const std::string path = write_file("t.tsv", "1\t\"2\n7\t8\n");
  EXPECT_EQ(rows_of(read_table(path, {.columns = {"b"}, .names = {"a", "b"}})), (Rows{{{"b", "\"2"}}, {{"b", "8"}}}));
  const std::string lines = write_file("t.jsonl", "{\"a\":1}\n");
  expect_error<UsageError>([&] { read_table(lines, {.names = {"a"}}); }, {"t.jsonl", ".csv or .tsv"});
}

TEST(ReadTable, ReadsCompressedFiles) {
  const std::string folder = PORTATUNE_TEST_DATA "/compressed/";
  for (const char* name : {"table.csv.gz", "table.jsonl.zst"}) {
    const Rows rows = rows_of(read_table(folder + name));
    EXPECT_EQ(rows.size(), 1000U) << name;
    EXPECT_EQ(rows.back(), (Row{{"text", "row 999"}, {"label", "1"}})) << name;
  }
  EXPECT_EQ(read_table(folder + "lines.txt.gz").count(), 100'000);
}

TEST(ReadTable, ResumesInCompressedFiles) {
  const std::string folder = PORTATUNE_TEST_DATA "/compressed/";
  const Dataset rows = read_table({folder + "table.csv.gz", folder + "members.csv.gz"});
  Cursor cursor = rows.iterate();
  cursor.skip(1500);
  EXPECT_EQ(rows.resume(cursor.state()).next()->text("text"), "row 500");
}

TEST(ReadTable, RenamesColumns) {
  const std::string path = write_file("t.csv", "a,b,c\n1,2,3\n");
  EXPECT_EQ(rows_of(read_table(path, {.rename = {{"b", "text"}}})), (Rows{{{"a", "1"}, {"text", "2"}, {"c", "3"}}}));
  EXPECT_EQ(rows_of(read_table(path, {.columns = {"text", "a"}, .rename = {{"b", "text"}, {"c", "label"}}})),
            (Rows{{{"text", "2"}, {"a", "1"}}}));
  EXPECT_EQ(rows_of(read_table(path, {.rename = {{"a", "b"}, {"b", "a"}}})),
            (Rows{{{"b", "1"}, {"a", "2"}, {"c", "3"}}}));
  expect_error<DataError>([&] { rows_of(read_table(path, {.rename = {{"a", "c"}}})); }, {"t.csv:2", "two columns 'c'"});
  expect_error<UsageError>([&] { read_table(path, {.rename = {{"a", "d"}, {"b", "d"}}}); }, {"'a' and 'b'", "'d'"});
  expect_error<UsageError>([&] { read_table(path, {.columns = {"a"}, .rename = {{"a", "d"}}}); }, {"'a'", "'d'"});
  expect_error<DataError>([&] { rows_of(read_table(path, {.rename = {{"d", "e"}}})); }, {"t.csv:2", "d"});
}

// Joins two columns, and refuses a row.
Example joined(const Example& row) {
  if (row.text("a") == "bad") throw DataError({.where = to_string(row.origin()), .given = "bad"});
  return Example(row.origin()).set("text", row.text("a") + row.text("b")).set("label", row.text("c"));
}

TEST(MappedRows, ChangeRowsWithAllColumns) {
  const std::string path = write_file("t.csv", "a,y,c\n1,2,3\n4,5,6\n");
  const MappedRows mapped(joined);
  TableOptions options{.columns = {"label", "text"}, .single_values = {"text"}, .rename = {{"y", "b"}}};
  EXPECT_EQ(rows_of(read_table(path, options)),
            (Rows{{{"label", "3"}, {"text", "12"}}, {{"label", "6"}, {"text", "45"}}}));
  options.columns = {};
  EXPECT_EQ(rows_of(read_table(path, options))[0], (Row{{"text", "12"}, {"label", "3"}}));
  options.columns = {"text", "a"};
  expect_error<DataError>([&] { rows_of(read_table(path, options)); }, {"t.csv:2", "text, label", "column 'a'"});
  const MappedRows as_they_are(nullptr);
  EXPECT_EQ(rows_of(read_table(path))[1], (Row{{"a", "4"}, {"y", "5"}, {"c", "6"}}));
}

TEST(MappedRows, LeaveOutRowsThatTheFunctionRefuses) {
  const std::string path = write_file("t.csv", "a,b,c\n1,2,3\nbad,5,6\n7,8,9\n");
  const MappedRows mapped(joined);
  const TableOptions options{.columns = {"text"}};
  expect_error<DataError>([&] { rows_of(read_table(path, options)); }, {"t.csv:3", "bad"});
  const auto skipped = std::make_shared<BadRows>(1);
  EXPECT_EQ(rows_of(read_table(path, options).skip_bad_rows(skipped)), (Rows{{{"text", "12"}}, {{"text", "78"}}}));
}

TEST(MappedRows, ChangeSentencesAndQuestions) {
  const std::string squad = write_file(
      "s.json",
      R"({"data": [{"id": "q", "question": "a", "context": "b", "answers": {"text": [], "answer_start": []}}]})");
  const MappedRows mapped([](Example row) {
    const std::string first = row.columns().front().name;
    return row.set(first, "new " + row.text(first));
  });
  EXPECT_EQ(rows_of(read_squad(squad, false))[0], (Row{{"id", "new q"}, {"question", "a"}, {"context", "b"}}));
  const std::string conll = write_file("s.conll", "good B\n\n");
  EXPECT_EQ(rows_of(read_conll(conll))[0], (Row{{"tokens", "new [\"good\"]"}, {"ner_tags", "[\"B\"]"}}));
}

// A task may have one column for text and text pair. read_arrow_test and read_tfrecord_test test Parquet and TFRecords.
TEST(ReadTable, AColumnMayBeRequestedTwice) {
  const Rows rows{{{"a", "1"}, {"b", "2"}}};
  const std::vector<std::string> columns = {"a", "a", "b"};
  EXPECT_EQ(rows_of(read_table(write_file("t.csv", "a,b\n1,2\n"), {.columns = columns})), rows);
  EXPECT_EQ(rows_of(read_table(write_file("t.tsv", "a\tb\n1\t2\n"), {.columns = columns})), rows);
  EXPECT_EQ(rows_of(read_table(write_file("t.jsonl", "{\"a\":1,\"b\":2}\n"), {.columns = columns})), rows);
}

TEST(ReadTable, OtherOrMixedExtensionsAreErrors) {
  expect_error<UsageError>([] { read_table("train.xlsx"); }, {"train.xlsx", ".csv"});
  expect_error<UsageError>([] { read_table({"a.csv", "b.tsv"}); }, {"a.csv", "b.tsv", "one kind"});
  expect_error<UsageError>([] { read_table("train.xlsx"); }, {"ends in .xlsx", "save the sheet as CSV"});
  expect_error<UsageError>([] { read_table("train.conll"); }, {"ends in .conll", "--task token-classification"});
  expect_error<UsageError>([] { read_table(write_file("t.parquet.gz", "")); }, {"compressed .parquet", "gunzip"});
  expect_error<UsageError>([] { read_table(write_file("t.tar.zst", "")); }, {"compressed .tar", "unzstd"});
  const std::string bare = ::testing::TempDir() + "train_without_extension";
  std::ofstream(bare) << "a\n1\n";
  expect_error<UsageError>([&] { read_table(bare); }, {"a name without an extension"});
  expect_error<UsageError>([] { read_table(write_file("t.txt", "a\n"), {.columns = {"label"}}); },
                           {"t.txt", "lines of text, without columns", "a column 'label'"});
}

TEST(ReadTable, FieldsMayHaveAnotherDelimiter) {
  const Rows rows = {{{"text", "a, b"}, {"label", "1"}}};
  EXPECT_EQ(rows_of(read_table(write_file("t.csv", "text;label\na, b;1\n"), {.delimiter = ';'})), rows);
  EXPECT_EQ(rows_of(read_table(write_file("t.tsv", "text|label\na, b|1\n"), {.delimiter = '|'})), rows);
  expect_error<UsageError>([] { read_table(write_file("t.jsonl", "{\"a\":1}\n"), {.delimiter = ';'}); },
                           {"t.jsonl", "--delimiter"});
}

TEST(ReadTable, ErrorOfADataSetsNameShowsItsUrl) {
  expect_error<NotFoundError>([] { read_table("stanfordnlp/imdb"); }, {"stanfordnlp/imdb", "hf:stanfordnlp/imdb"});
  EXPECT_THAT(message_of<NotFoundError>([] { read_table("/nowhere/imdb"); }), testing::Not(testing::HasSubstr("hf:")));
}

TEST(ReadTable, RecognisesFilesOfAnotherKindByTheirFirstBytes) {
  expect_error<DataError>([] { read_table(write_file("t.csv", "PAR1\x15\x04")); }, {"t.csv", "a Parquet file"});
  for (const char* name : {"t.csv", "t.parquet", "t.tar", "t.jsonl.gz"}) {
    expect_error<DataError>([&] { read_table(write_file(name, "version https://git-lfs.github.com/spec/v1\n")); },
                            {name, "git lfs pull"});
  }
  expect_error<DataError>([] { read_table(write_file("t.tsv", "PK\x03\x04...")); }, {"t.tsv", "zip archive"});
}

TEST(ReadCsv, ErrorsExplainMissingColumns) {
  const auto advice = [](const char* text, std::initializer_list<const char*> parts) {
    const std::string path = write_file("a.csv", text);
    expect_error<DataError>([&] { rows_of(read_csv(path, {.columns = {"text"}})); }, parts);
  };
  advice("text;label\na;1\n", {"if the delimiter is ';': --delimiter ';'"});
  advice("text\tlabel\na\t1\n", {"--delimiter '\\t'"});
  advice("the film was bad,bad\nI like it,good\n", {"if line 1 is a row and not a header: --column-names"});
  advice("sentence,labels\na,1\n", {"--rename-columns NAME=text"});
  advice("messages,id\n[],1\n", {"with --task causal-lm: --messages-column messages"});
  advice("prompt,completion\na,b\n", {"with --task causal-lm: --prompt-column prompt --completion-column completion"});
  advice("instruction,input,output\na,b,c\n", {"--prompt-column instruction --completion-column output"});
}

}  // namespace portatune::data
