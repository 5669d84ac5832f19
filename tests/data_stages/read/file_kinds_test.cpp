// Expansion of patterns and folders to files.
#include "portatune/data/read/file_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class FileKinds : public testing::Test {
 protected:
  std::string make(const std::string& name) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    write_text(path, "text\nof " + name + "\n");
    return path;
  }
  std::string in(const std::string& name) const { return folder_ / name; }

  TemporaryFolder folder_;
};

TEST_F(FileKinds, AKindIsAnExtensionWithoutCompression) {
  EXPECT_EQ(kind_extension("data/Train.CSV.gz"), ".csv");
  EXPECT_EQ(kind_extension("a.jsonl.zst"), ".jsonl");
  EXPECT_EQ(kind_extension("a.b.txt"), ".txt");
  EXPECT_EQ(kind_extension("archive.gz"), "");
  EXPECT_EQ(kind_extension("no.dots/file"), "");
  EXPECT_EQ(kind_extension("https://host/data/train.csv.gz?download=true.x"), ".csv");
}

TEST_F(FileKinds, PatternsExpandToTheirMatchesInByteOrder) {
  const std::string b = make("b.csv"), a = make("a10.csv"), c = make("a9.csv"), other = make("B.csv");
  make("c.tsv");
  make("d.csv/file.csv");
  EXPECT_THAT(matching_files({in("*.csv")}), ElementsAre(other, a, c, b));
  EXPECT_THAT(matching_files({in("a?.csv"), in("b.csv")}), ElementsAre(c, b));
  EXPECT_THAT(matching_files({in("[ab]*.csv")}), ElementsAre(a, c, b));
}

TEST_F(FileKinds, ExistingFilesAreNotPatterns) {
  const std::string odd = make("a[1].csv");
  make("a1.csv");
  EXPECT_THAT(matching_files({odd}), ElementsAre(odd));
}

TEST_F(FileKinds, APatternWithoutAMatchIsAnError) {
  make("a.csv");
  expect_error<NotFoundError>([&] { matching_files({in("*.tsv")}); }, {"*.tsv'", "no file that matches"});
  expect_error<NotFoundError>([&] { matching_files({in("nowhere/*.csv")}); }, {"nowhere/*.csv'"});
  EXPECT_THAT(matching_files({in("missing.csv")}), ElementsAre(in("missing.csv")));  // the reader reports the error
}

TEST_F(FileKinds, FoldersExpandToTheirTables) {
  const std::string b = make("b.csv.gz"), a = make("a.csv");
  for (const char* name : {"README.txt", "dataset_info.json", ".hidden.tsv", "notes.md", "deeper/c.jsonl"}) make(name);
  EXPECT_THAT(table_files({folder_.path()}), ElementsAre(a, b));
}

TEST_F(FileKinds, JsonAndTextCountWithoutOtherTables) {
  const std::string b = make("b.json"), a = make("a.json");
  EXPECT_THAT(table_files({folder_.path()}), ElementsAre(a, b));
}

TEST_F(FileKinds, AFolderWithoutTablesOrWithSeveralKindsIsAnError) {
  expect_error<NotFoundError>([&] { table_files({folder_.path()}); }, {"without tables", ".csv, .tsv"});
  make("a.csv");
  make("b.jsonl");
  expect_error<UsageError>([&] { table_files({folder_.path()}); }, {"several kinds: .csv, .jsonl", "/*.csv'"});
}

TEST_F(FileKinds, AllReadersAcceptPatternsAndFolders) {
  make("b.csv");
  make("a.csv");
  for (const std::string& words : {in("*.csv"), folder_.path().string()}) {
    std::vector<std::string> texts;
    for (const Example& row : read_table(words).iterate()) texts.push_back(row.text("text"));
    EXPECT_THAT(texts, ElementsAre("of a.csv", "of b.csv")) << words;
    EXPECT_EQ(read_csv(words).count(), 2) << words;
  }
  EXPECT_THROW(read_table(in("*.jsonl")), NotFoundError);
}

}  // namespace
}  // namespace portatune::data
