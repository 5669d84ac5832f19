// pyarrow made tests/data/arrow: tests/oracle/data/make_arrow_tables.py. The tests are skipped if the plug-in is not
// built.
#include "portatune/io/plugin/arrow_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

std::string golden(const std::string& name) { return std::string(PORTATUNE_TEST_DATA "/arrow/") + name; }

// This test must be the first, because an open plug-in stays open.
TEST(ArrowPlugin, AMissingPluginIsAnErrorWithTheFileThatNeedsIt) {
  setenv("PORTATUNE_ARROW_PLUGIN", "/nowhere/libportatune_arrow.so", 1);
  expect_error<DeviceError>([] { ArrowTable table(golden("rows.parquet")); },
                            {"rows.parquet", "/nowhere/libportatune_arrow.so", "make build"});
  const std::string other = write_file("other.so", "no library");
  setenv("PORTATUNE_ARROW_PLUGIN", other.c_str(), 1);
  EXPECT_THROW(ArrowTable(golden("rows.parquet")), DeviceError);
}

class ArrowTableTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PORTATUNE_ARROW_PLUGIN_FILE)) GTEST_SKIP() << "no plug-in for Arrow";
    setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
  }
};

using Column = std::vector<std::string>;

// All columns of a file by name.
std::map<std::string, Column> columns_of(const std::string& path) {
  ArrowTable table(path);
  std::vector<int64_t> all(table.columns().size());
  std::iota(all.begin(), all.end(), 0);
  table.select(all);
  std::map<std::string, Column> columns;
  for (const std::string& name : table.columns()) columns[name];
  while (table.next()) {
    for (size_t i = 0; i < all.size(); ++i) columns[table.columns()[i]].emplace_back(table.value(i));
  }
  return columns;
}

// Converts the characters of JSON text, which has no bytes, to the bytes that they represent.
std::string as_bytes(const std::string& utf8) {
  std::string bytes;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto code = static_cast<unsigned char>(utf8[i]);
    bytes += code < 0x80 ? utf8[i] : static_cast<char>((code & 3) << 6 | (utf8[++i] & 0x3f));
  }
  return bytes;
}

std::map<std::string, Column> expected_columns() {
  const auto json = nlohmann::json::parse(text_of(golden("types.json")));
  auto columns = json.get<std::map<std::string, Column>>();
  for (const char* name : {"bytes", "image"}) {
    for (std::string& value : columns[name]) value = as_bytes(value);
  }
  return columns;
}

TEST_F(ArrowTableTest, ValuesOfAllTypesBecomeTexts) {
  EXPECT_EQ(columns_of(golden("types.arrow")), expected_columns());
  EXPECT_EQ(columns_of(golden("types_file.arrow")), expected_columns());
  std::map<std::string, Column> of_parquet = expected_columns();
  of_parquet.erase("view");
  EXPECT_EQ(columns_of(golden("types.parquet")), of_parquet);
}

TEST_F(ArrowTableTest, ReadsAllBatchesAndCountsRows) {
  for (const char* name : {"rows.parquet", "data-00000-of-00001.arrow"}) {
    ArrowTable table(golden(name));
    table.select({1, 0});
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(table.next());
      ASSERT_EQ(table.row(), i + 1);
      ASSERT_EQ(table.value(0), std::to_string(i % 2)) << name;
      ASSERT_EQ(table.value(1), "row " + std::to_string(i)) << name;
    }
    EXPECT_FALSE(table.next());
  }
}

TEST_F(ArrowTableTest, AColumnMayBeSelectedTwice) {
  for (const char* name : {"rows.parquet", "data-00000-of-00001.arrow"}) {
    ArrowTable table(golden(name));
    table.select({0, 0, 1});
    ASSERT_TRUE(table.next());
    EXPECT_EQ(table.value(0), "row 0");
    EXPECT_EQ(table.value(1), "row 0");
    EXPECT_EQ(table.value(2), "0");
  }
}

TEST_F(ArrowTableTest, AFileMayHaveNoRows) { EXPECT_EQ(columns_of(golden("empty.parquet"))["text"], Column()); }

TEST_F(ArrowTableTest, OtherFilesAreRefused) {
  for (const char* text : {"", "PAR1", "PAR1PAR1PAR1", "ARROW1", "\xff\xff\xff\xff", "a,b\n1,2\n"}) {
    const std::string path = write_file("t.parquet", text);
    expect_error<DataError>([&] { ArrowTable table(path); }, {"t.parquet"});
  }
  EXPECT_THROW(ArrowTable("/nowhere/a.parquet"), NotFoundError);
  EXPECT_THROW(ArrowTable{testing::TempDir()}, IoError);
}

TEST_F(ArrowTableTest, AFileThatNeedsTooMuchMemoryIsRefused) {
  for (const char* name : {"hungry.parquet", "hungry.arrow"}) {
    expect_error<DataError>([&] { columns_of(golden(name)); }, {name, "more memory than 1073741824 bytes"});
  }
}

// A cut or a flipped byte may only cause an error or change values.
TEST_F(ArrowTableTest, DamageIsAnErrorOrChangesValues) {
  int errors = 0;
  for (const char* name : {"types.parquet", "types.arrow", "types_file.arrow"}) {
    const std::string whole = text_of(golden(name));
    for (size_t at = 0; at < whole.size(); at += 307) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
      for (const std::string& bytes : {damaged, whole.substr(0, at)}) {
        try {
          columns_of(write_file("damaged", bytes));
        } catch (const DataError&) {
          ++errors;
        }
      }
    }
  }
  EXPECT_GT(errors, 60);
}

}  // namespace
}  // namespace portatune::io
