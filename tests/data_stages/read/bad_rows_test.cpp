#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_stages/numbers.h"
#include "data_stages/resuming.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

std::vector<std::string> column_texts(Cursor cursor, const std::string& column) {
  std::vector<std::string> texts;
  for (const Example& row : cursor) texts.push_back(row.text(column));
  return texts;
}

std::shared_ptr<BadRows> at_most(int64_t limit) { return std::make_shared<BadRows>(limit); }

std::vector<std::string> places_of(const BadRows& bad_rows) {
  std::vector<std::string> places;
  for (const BadRow& row : bad_rows.rows()) places.push_back(row.where.substr(row.where.rfind('.')));
  return places;
}

constexpr const char* kRagged = "n,x\n0,a\n1\n2,c\n3,d,e\n4,f\xff\n5,g\n";

TEST(BadRows, AreErrorsUnlessSkipped) {
  const std::string path = write_file("t.csv", kRagged);
  expect_error<DataError>([&] { read_csv(path).count(); }, {"t.csv:3", "1 field"});
}

TEST(BadRows, OfCsvAreSkippedAndReported) {
  std::vector<std::string> reported;
  const auto bad_rows =
      std::make_shared<BadRows>(3, [&](const BadRow& row) { reported.push_back(row.where + " " + row.reason); });
  const Dataset rows = read_csv(write_file("t.csv", kRagged)).skip_bad_rows(bad_rows);
  EXPECT_THAT(collect(rows), ElementsAre(0, 2, 5));
  EXPECT_EQ(bad_rows->count(), 3);
  EXPECT_THAT(reported, ElementsAre(HasSubstr("t.csv:3 1 field, expected 2 fields, as on line 1"),
                                    HasSubstr("t.csv:5 3 fields"), HasSubstr("t.csv:6 0xff at byte offset")));
}

TEST(BadRows, ErrorAboveTheLimitNamesTheLimit) {
  const auto bad_rows = at_most(2);
  const Dataset rows = read_csv(write_file("t.csv", kRagged)).skip_bad_rows(bad_rows);
  expect_error<DataError>([&] { rows.count(); }, {"t.csv:6", "0xff", "at most 2 bad rows"});
  EXPECT_EQ(bad_rows->count(), 2);
}

TEST(BadRows, CountOnceInSeveralPasses) {
  const auto bad_rows = at_most(3);
  const Dataset rows = read_csv(write_file("t.csv", kRagged)).skip_bad_rows(bad_rows);
  EXPECT_EQ(rows.count(), 3);
  EXPECT_EQ(rows.count(), 3);
  EXPECT_THAT(collect(rows.repeat(3)), ElementsAre(0, 2, 5, 0, 2, 5, 0, 2, 5));
  EXPECT_THAT(collect(read_csv(write_file("t.csv", kRagged)).repeat(2).skip_bad_rows(bad_rows)),
              ElementsAre(0, 2, 5, 0, 2, 5));
  EXPECT_EQ(bad_rows->count(), 3);
}

TEST(BadRows, AreErrorsIfTheNextRowIsUncertain) {
  for (const char* text : {"n\n0\n\"1\n2\n", "n\n0\n\"1\"x\n2\n"}) {
    const Dataset rows = read_csv(write_file("t.csv", text)).skip_bad_rows(at_most(9));
    expect_error<DataError>([&] { rows.count(); }, {"t.csv:3", "quote"});
  }
  const Dataset header = read_csv(write_file("t.csv", "\xff\n0\n")).skip_bad_rows(at_most(9));
  expect_error<DataError>([&] { header.count(); }, {"t.csv:1", "0xff"});
}

TEST(BadRows, MayBeTheFirstOfAFileWithoutAHeader) {
  const std::string path = write_file("t.csv", "\xff,a\n\xff,b\n2,c\n3\n4,d\n");
  const auto rows = [&](const std::shared_ptr<BadRows>& bad_rows) {
    return read_csv(path, {.header = false, .names = {"n", "x"}}).skip_bad_rows(bad_rows);
  };
  const auto bad_rows = at_most(3);
  EXPECT_THAT(collect(rows(bad_rows)), ElementsAre(2, 4));
  EXPECT_THAT(places_of(*bad_rows), ElementsAre(".csv:1", ".csv:2", ".csv:4"));
  expect_resumable([&] { return rows(at_most(3)); });
  expect_error<DataError>([&] { rows(at_most(1)).count(); }, {"t.csv:2", "0xff"});
}

TEST(BadRows, OfJsonLines) {
  const std::string path =
      write_file("t.jsonl", "{\"n\":0}\n{\"n\":}\n[1]\n{\"m\":3}\n{\"n\":1,\"n\":2}\n{\"n\":\"\xff\"}\n{\"n\":6}\n");
  const auto bad_rows = at_most(5);
  EXPECT_THAT(collect(read_jsonl(path, {.columns = {"n"}}).skip_bad_rows(bad_rows)), ElementsAre(0, 6));
  EXPECT_THAT(places_of(*bad_rows), ElementsAre(".jsonl:2", ".jsonl:3", ".jsonl:4", ".jsonl:5", ".jsonl:6"));
}

TEST(BadRows, OfTextAreInvalidOrLongLines) {
  const std::string path = write_file("t.txt", "a\n\xff\nb\n");
  EXPECT_THAT(column_texts(read_text(path).skip_bad_rows(at_most(1)).iterate(), "text"), ElementsAre("a", "b"));
  const auto bad_rows = at_most(1);
  const Dataset compressed = read_text(PORTATUNE_TEST_DATA "/compressed/long_line.txt.zst").skip_bad_rows(bad_rows);
  EXPECT_THAT(column_texts(compressed.iterate(), "text"), ElementsAre("first", "last"));
  EXPECT_THAT(bad_rows->rows()[0].reason, HasSubstr("more than 67108864 bytes"));
}

TEST(BadRows, OfConllAreWholeSentences) {
  const std::string path = write_file("t.conll", "a O\nb O\n\nc O\nd\ne O\n\n\xff O\nf O\n\ng O\n");
  const auto bad_rows = at_most(2);
  EXPECT_THAT(column_texts(read_conll(path).skip_bad_rows(bad_rows).iterate(), "tokens"),
              ElementsAre("[\"a\",\"b\"]", "[\"g\"]"));
  EXPECT_THAT(places_of(*bad_rows), ElementsAre(".conll:5", ".conll:8"));
}

TEST(BadRows, OfSquadAreQuestions) {
  const std::string path =
      write_file("t.json", R"({"data": [{"id": "a", "question": "q", "context": "c"}, {"id": 7, "context": "c"},
                             {"id": "b", "question": "q", "context": "c"}]})");
  EXPECT_THAT(column_texts(read_squad(path, false).skip_bad_rows(at_most(1)).iterate(), "id"), ElementsAre("a", "b"));
  const std::string cut = write_file("cut.json", R"({"data": [)");
  EXPECT_THROW(read_squad(cut, false).skip_bad_rows(at_most(9)).count(), DataError);
}

// Rejects odd numbers.
Example evens(Example example) {
  if (std::stoi(example.text("n")) % 2 == 0) return example;
  throw DataError({.where = "evens", .given = example.text("n"), .expected = "an even number"});
}

TEST(BadRows, IncludeRowsThatAFunctionRejects) {
  for (const int threads : {1, 3}) {
    const auto bad_rows = at_most(50);
    const Dataset mapped = numbers(100).map(evens, {.threads = threads}).skip_bad_rows(bad_rows);
    EXPECT_EQ(collect(mapped).size(), 50U);
    ASSERT_EQ(bad_rows->count(), 50);
    EXPECT_EQ(bad_rows->rows()[0].where, "example 1");
    EXPECT_EQ(bad_rows->rows()[0].reason, "evens: 1, expected an even number");
    EXPECT_EQ(bad_rows->rows()[49].where, "example 99");  // in the order of the rows
  }
}

TEST(BadRows, ErrorAboveTheLimitKeepsTheOrderWithThreads) {
  for (const int threads : {1, 3}) {
    Cursor cursor = numbers(100).map(evens, {.threads = threads}).skip_bad_rows(at_most(2)).iterate();
    for (const char* n : {"0", "2", "4"}) EXPECT_EQ(cursor.next()->text("n"), n);
    expect_error<DataError>([&] { cursor.next(); }, {"example 5", "at most 2"});
  }
}

TEST(BadRows, OfFlatMapAndFilter) {
  const auto pair = [](const Example& example) { return std::vector{evens(example), example}; };
  EXPECT_THAT(collect(numbers(4).flat_map(pair).skip_bad_rows(at_most(2))), ElementsAre(0, 0, 2, 2));
  const auto keep = [](const Example& example) { return evens(example).text("n") != "0"; };
  EXPECT_THAT(collect(numbers(4).filter(keep).skip_bad_rows(at_most(2))), ElementsAre(2));
}

// A row skipped in only one input would shift all later rows against the other inputs.
TEST(BadRows, OfAnInputOfZipAreErrors) {
  const auto named = [](const Example& example) { return Example(example.origin()).set("m", example.text("n")); };
  const auto pairs = [&](const Dataset& first) { return zip({first, numbers(4).map(named)}); };
  const auto first = numbers(4).map(evens);
  EXPECT_THROW(collect(pairs(first).filter([](const Example&) { return true; }).skip_bad_rows(at_most(9))), DataError);
  const auto bad_rows = at_most(9);
  EXPECT_EQ(collect(pairs(first.skip_bad_rows(bad_rows))).size(), 2u);  // skipped before zip
}

TEST(BadRows, DoNotIncludeOtherErrors) {
  const Dataset failing = numbers(3).map(failing_at("1")).skip_bad_rows(at_most(9));
  EXPECT_THROW(collect(failing), std::runtime_error);
}

TEST(BadRows, IncludeRowsWithAMissingFile) {
  const auto open = [](Example example) {
    if (example.text("n") == "1") throw NotFoundError({.where = "1.jpg", .given = "no such file"});
    return example;
  };
  EXPECT_THAT(collect(numbers(3).map(open).skip_bad_rows(at_most(1))), ElementsAre(0, 2));
}

// Skipping and reading give the same rows, through several verbs.
TEST(BadRows, AreNotCountedBySkip) {
  for (const int threads : {1, 3}) {
    const Dataset whole = numbers(40).map(evens, {.threads = threads}).shuffle({.buffer = 7, .seed = 3});
    const Dataset tolerant = whole.repeat(2).skip_bad_rows(at_most(20));
    const std::vector<int> all = collect(tolerant);
    ASSERT_EQ(all.size(), 40U);
    for (const int64_t count : {1, 19, 20, 33}) {
      EXPECT_EQ(collect(tolerant.skip(count)), std::vector<int>(all.begin() + count, all.end())) << count;
    }
  }
}

// At any cut of a pass, in the same process or another: the same rows follow, and the same rows were skipped.
TEST(BadRows, AreTheSameAfterAResume) {
  const std::string path = write_file("t.csv", kRagged);
  const auto last_is_bad = [](const Example& row) {
    if (row.text("n") != "5") return row;
    throw DataError({.where = to_string(row.origin()), .given = "5"});
  };
  for (const int threads : {1, 2}) {
    expect_resumable([&] {
      return read_csv(path).map(last_is_bad, {.threads = threads}).shuffle({.buffer = 2}).skip_bad_rows(at_most(4));
    });
  }
}

TEST(BadRows, OfAnEarlierRunCountAndAreNotReportedAgain) {
  const std::string path = write_file("t.csv", kRagged);
  Cursor cursor = read_csv(path).skip_bad_rows(at_most(3)).iterate();
  cursor.next();
  cursor.next();
  int reported = 0;
  const auto later = std::make_shared<BadRows>(3, [&](const BadRow&) { ++reported; });
  EXPECT_THAT(collect(read_csv(path).skip_bad_rows(later).resume(cursor.state())), ElementsAre(5));
  EXPECT_EQ(later->count(), 3);
  EXPECT_EQ(reported, 2);
  EXPECT_EQ(later->rows()[0].reason, "1 field, expected 2 fields, as on line 1");
}

// A path may be invalid UTF-8.
TEST(BadRows, AreRecognisedInAFileOfAnyName) {
  const std::string path = write_file("\xff.csv", kRagged);
  const auto twice = [&](const std::shared_ptr<BadRows>& bad_rows) {
    return read_csv(path).repeat(2).skip_bad_rows(bad_rows);
  };
  Cursor cursor = twice(at_most(3)).iterate();
  for (int i = 0; i < 4; ++i) cursor.next();
  const auto later = at_most(3);
  EXPECT_THAT(collect(twice(later).resume(cursor.state())), ElementsAre(2, 5));
  EXPECT_EQ(later->count(), 3);
}

// The first line of a CoNLL file, before the cut of the pass, determines the number of columns.
TEST(BadRows, OfConllAreTheSameAfterAResume) {
  const std::string path = write_file("t.conll", "a O\n\nb\n\nc O\n\nd\n\ne O\n");
  expect_resumable([&] { return read_conll(path).skip_bad_rows(at_most(2)); });
}

TEST(BadRows, OfSquadAreTheSameAfterAResume) {
  const std::string path =
      write_file("t.json", R"({"data": [{"id": 1, "context": "c"}, {"id": "a", "question": "q", "context": "c"},
                             {"id": "b", "context": "c"}, {"id": "c", "question": "q", "context": "c"}]})");
  expect_resumable([&] { return read_squad(path, false).skip_bad_rows(at_most(2)); });
}

TEST(BadRows, BeforeACacheAreKnownToReadersOfItsFile) {
  const std::string path = write_file("t.csv", kRagged);
  const TemporaryFolder folder;
  const auto cached = [&](const std::shared_ptr<BadRows>& bad_rows) {
    return read_csv(path).skip_bad_rows(bad_rows).cache(folder / "c");
  };
  EXPECT_THAT(collect(cached(at_most(3))), ElementsAre(0, 2, 5));
  int reported = 0;
  const auto later = std::make_shared<BadRows>(3, [&](const BadRow&) { ++reported; });
  EXPECT_THAT(collect(cached(later)), ElementsAre(0, 2, 5));
  EXPECT_THAT(places_of(*later), ElementsAre(".csv:3", ".csv:5", ".csv:6"));
  EXPECT_EQ(reported, 0);
  EXPECT_THAT(collect(cached(later)), ElementsAre(0, 2, 5));
}

TEST(BadRows, ThatAreKnownDoNotInvalidateACache) {
  const std::string path = write_file("t.csv", kRagged);
  const TemporaryFolder folder;
  for (int process = 0; process < 2; ++process) {
    const Dataset rows = read_csv(path).skip_bad_rows(at_most(3));
    if (process == 0) {
      EXPECT_EQ(rows.count(), 3);
    }
    EXPECT_THAT(collect(rows.cache(folder / "c")), ElementsAre(0, 2, 5));
  }
  expect_resumable([&] { return read_csv(path).skip_bad_rows(at_most(3)).cache(folder / "d"); });
}

// A file of 20 records, one of which has a changed text and hence a wrong checksum.
class DamagedTfrecord {
 public:
  DamagedTfrecord() {
    TfrecordWriter writer(path(), {.index = true});
    for (const Example& example : numbers(20).iterate()) writer.write(example);
    writer.commit();
    std::string bytes = text_of(path());
    bytes[bytes.find("13")] = '7';
    write_text(path(), bytes);
  }
  std::string path() const { return folder_ / "t.tfrecord"; }

 private:
  TemporaryFolder folder_;
};

TEST(BadRows, OfAPermutation) {
  const DamagedTfrecord file;
  const Dataset rows = read_tfrecord(file.path()).shuffle({.buffer = 0, .seed = 1});
  EXPECT_THROW(collect(rows), DataError);
  const auto bad_rows = at_most(1);
  EXPECT_EQ(collect(rows.repeat(2).skip_bad_rows(bad_rows)).size(), 38U);
  EXPECT_EQ(bad_rows->count(), 1);
}

TEST(BadRows, OfTfrecordsAreSkippedAndReported) {
  const DamagedTfrecord file;
  const auto bad_rows = at_most(1);
  EXPECT_EQ(collect(read_tfrecord(file.path()).skip_bad_rows(bad_rows)).size(), 19U);
  EXPECT_THAT(bad_rows->rows()[0].where, EndsWith("t.tfrecord:14"));
  EXPECT_THAT(bad_rows->rows()[0].reason, HasSubstr("a record with a wrong checksum"));
}

// As in a table: each row exists but cannot be read.
TEST(BadRows, MayBeAllRows) {
  EXPECT_EQ(read_jsonl(write_file("t.jsonl", "[1]\n")).skip_bad_rows(at_most(1)).count(), 0);
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const char* name : {"a", "b"}) {
    paths.push_back(folder / name);
    TfrecordWriter writer(paths.back(), {.index = false});
    writer.write(*numbers(1).iterate().next());
    writer.commit();
    std::string bytes = text_of(paths.back());
    bytes.back() ^= 1;  // part of the checksum
    write_text(paths.back(), bytes);
  }
  for (const int reads : {1, 2}) {
    const auto bad_rows = at_most(2);
    EXPECT_THAT(collect(read_tfrecord(paths, {.num_parallel_reads = reads}).skip_bad_rows(bad_rows)), ElementsAre());
    EXPECT_EQ(bad_rows->count(), 2);
  }
}

TEST(BadRows, DoNotIncludeDamagedCompressedRecords) {
  std::string bytes = text_of(PORTATUNE_TEST_DATA "/tfrecord/examples.tfrecord.gz");
  bytes[bytes.size() / 2] ^= 0x55;
  const std::string path = write_file("t.tfrecord.gz", bytes);
  const Dataset rows = read_tfrecord(path).skip_bad_rows(at_most(99));
  expect_error<DataError>([&] { rows.count(); }, {"t.tfrecord.gz", "at byte offset", "complete gzip"});
}

TEST(BadRows, AfterACacheAreErrors) {
  const std::string path = write_file("t.csv", kRagged);
  const TemporaryFolder folder;
  for (const std::string& file : {std::string(), (folder / "rows.cache").string()}) {
    const auto bad_rows = at_most(3);
    EXPECT_THAT(collect(read_csv(path).skip_bad_rows(bad_rows).cache(file).repeat(2)), ElementsAre(0, 2, 5, 0, 2, 5));
    EXPECT_EQ(bad_rows->count(), 3);
  }
  const Dataset too_late = read_csv(path).cache().skip_bad_rows(at_most(3));
  expect_error<DataError>([&] { too_late.count(); }, {"t.csv:3", "1 field", "skip_bad_rows()", "before cache()"});
  const auto bad_rows = at_most(50);
  EXPECT_EQ(collect(numbers(100).cache().map(evens).skip_bad_rows(bad_rows)).size(), 50U);
}

// With the same name as in a pass in order, for any order of map() and shuffle().
TEST(BadRows, OfAPermutationIncludeRowsThatAFunctionRejects) {
  const std::string path = write_file("t.csv", "n\n0\n1\n2\n3\n");
  const auto bad_rows = at_most(2);
  const Dataset mapped = read_csv(path).cache().map(evens).map([](Example row) { return row.set("m", "1"); });
  EXPECT_THAT(collect(mapped.shuffle({.seed = 1}).skip_bad_rows(bad_rows)), testing::UnorderedElementsAre(0, 2));
  EXPECT_THAT(collect(mapped.skip_bad_rows(bad_rows)), ElementsAre(0, 2));
  EXPECT_THAT(places_of(*bad_rows), testing::UnorderedElementsAre(".csv:3", ".csv:5"));
  EXPECT_EQ(bad_rows->rows()[0].reason.substr(0, 7), "evens: ");
}

TEST(BadRows, OfAPermutationIncludeRowsWithAMissingFile) {
  const auto open = [](Example example) {
    if (example.text("n") == "1") throw NotFoundError({.where = "1.jpg", .given = "no such file"});
    return example;
  };
  const Dataset rows = numbers(3).map(open).shuffle({.seed = 1});
  EXPECT_THROW(collect(rows), NotFoundError);
  EXPECT_THAT(collect(rows.skip_bad_rows(at_most(1))), testing::UnorderedElementsAre(0, 2));
}

// The order is that of the examples, although threads find the errors earlier.
TEST(BadRows, OfParallelReadsAreSkippedInOrder) {
  const DamagedTfrecord first, second;
  const Dataset rows = read_tfrecord({first.path(), second.path()}, {.num_parallel_reads = 2});
  const auto bad_rows = at_most(1);
  Cursor cursor = rows.skip_bad_rows(bad_rows).iterate();
  for (const char* n : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}) {
    for (int file = 0; file < 2; ++file) ASSERT_EQ(cursor.next()->text("n"), n);
  }
  EXPECT_EQ(bad_rows->count(), 0);
  EXPECT_EQ(cursor.next()->text("n"), "14");
  EXPECT_EQ(bad_rows->rows().at(0).where, first.path() + ":14");
  expect_error<DataError>([&] { cursor.next(); }, {(second.path() + ":14").c_str(), "at most 1"});
  expect_resumable([&] { return rows.skip_bad_rows(at_most(2)); });
}

TEST(BadRows, RejectANegativeLimit) { EXPECT_THROW(BadRows(-1), UsageError); }

}  // namespace
}  // namespace portatune::data
