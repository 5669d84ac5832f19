// tests/data/arrow was made by pyarrow: tests/oracle/data/make_arrow_tables.py. Skipped where the plug-in is not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data_stages/resuming.h"
#include "io/table_file.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

std::string golden(const std::string& name) { return std::string(PORTATUNE_TEST_DATA "/arrow/") + name; }

class ReadArrow : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PORTATUNE_ARROW_PLUGIN_FILE)) GTEST_SKIP() << "no plug-in for Arrow";
    setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
  }
};

TEST_F(ReadArrow, ReadTableReadsItsFiles) {
  for (const char* name : {"rows.parquet", "data-00000-of-00001.arrow"}) {
    Cursor cursor = read_table(golden(name), {.columns = {"label", "text"}}).iterate();
    cursor.skip(2500);
    const Example row = *cursor.next();
    EXPECT_EQ(to_string(row.origin()), golden(name) + ":2501");
    ASSERT_EQ(row.columns().size(), 2U);
    EXPECT_EQ(row.columns()[0].name, "label");
    EXPECT_EQ(row.text("text"), "row 2500");
    EXPECT_EQ(read_table(golden(name)).count(), 3000);
  }
}

TEST_F(ReadArrow, AColumnMayBeRequestedTwice) {
  for (const char* name : {"rows.parquet", "data-00000-of-00001.arrow"}) {
    const Example row = *read_table(golden(name), {.columns = {"text", "text", "label"}}).iterate().next();
    ASSERT_EQ(row.columns().size(), 2U);
    EXPECT_EQ(row.text("text"), "row 0");
    EXPECT_EQ(row.text("label"), "0");
  }
}

// The other column has a type without a text form.
TEST_F(ReadArrow, ReadsOnlyTheRequestedColumns) {
  EXPECT_EQ(read_arrow(golden("union.arrow"), {.columns = {"text"}}).iterate().next()->text("text"), "a");
  expect_error<DataError>([] { read_arrow(golden("union.arrow")).count(); }, {"union.arrow", "'odd'", "sparse_union"});
}

TEST_F(ReadArrow, ErrorOfAMissingColumnListsTheColumns) {
  expect_error<DataError>([] { read_arrow(golden("rows.parquet"), {.columns = {"texts"}}).count(); },
                          {"rows.parquet", "columns 'text', 'label'", "did you mean 'text'?"});
}

TEST_F(ReadArrow, ATextThatIsNotUtf8IsABadRow) {
  for (const char* name : {"latin.parquet", "latin.arrow"}) {
    expect_error<DataError>([&] { read_arrow(golden(name)).count(); }, {name, ":2\n", "not UTF-8 in column 'text'"});
    const auto bad_rows = std::make_shared<BadRows>(1);
    std::vector<std::string> texts;
    for (const Example& row : read_arrow(golden(name)).skip_bad_rows(bad_rows).iterate()) {
      texts.push_back(row.text("text") + row.text("label"));
    }
    EXPECT_THAT(texts, testing::ElementsAre("one0", "three2"));
    EXPECT_EQ(bad_rows->rows().at(0).where, golden(name) + ":2");
    EXPECT_EQ(read_arrow(golden(name), {.columns = {"label"}}).count(), 3);
  }
}

TEST_F(ReadArrow, SkipsBadRowsWhenItResumes) {
  expect_resumable([] { return read_arrow(golden("latin.parquet")).skip_bad_rows(std::make_shared<BadRows>(1)); });
}

TEST_F(ReadArrow, AFileWithoutRowsIsAnError) {
  expect_error<DataError>([] { read_arrow(golden("empty.parquet")).count(); }, {"empty.parquet", "no rows"});
}

TEST_F(ReadArrow, ResumesFromItsState) {
  expect_resumable([] {
    return read_arrow({golden("types.arrow"), golden("types_file.arrow")}, {.columns = {"text"}});
  });
}

}  // namespace
}  // namespace portatune::data
