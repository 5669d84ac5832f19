#include "portatune/io/file/watched_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "io/temporary_folder.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

class WatchedFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& file : {a_, b_}) write(file, "text,label\ngood,1\n");
  }
  // Writes a file with a unique modification time, independent of the clock resolution of the file system.
  void write(const std::string& file, const std::string& text) {
    write_text(file, text);
    fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::seconds(++writes_));
  }
  static std::string change_of(WatchedFiles& files) {
    const std::optional<FileChange> change = files.first_change();
    return change ? fs::path(change->file).filename().string() + ": " + change->what : "";
  }

  const TemporaryFolder folder_;
  const std::string a_ = folder_ / "a.csv", b_ = folder_ / "b.csv";
  int writes_ = 0;
};

TEST_F(WatchedFilesTest, UnmodifiedFilesAreUnchanged) {
  WatchedFiles files({a_, b_, "https://h/c.csv", "/dev/null"});
  EXPECT_EQ(change_of(files), "");
}

TEST_F(WatchedFilesTest, ModifiedReplacedAndRemovedFilesAreReported) {
  WatchedFiles files({a_, b_});
  write(b_, "text,label\ngood,0\n");
  EXPECT_EQ(change_of(files), "b.csv: modified since the start");
  EXPECT_EQ(change_of(files), "b.csv: modified since the start");
  write(b_, "text\n");
  EXPECT_EQ(change_of(files), "b.csv: 5 bytes instead of 18");
  write(folder_ / "new", "text,label\nfine,1\n");
  fs::rename(folder_ / "new", b_);
  EXPECT_EQ(change_of(files), "b.csv: a different file with the same name");
  fs::remove(b_);
  EXPECT_EQ(change_of(files), "b.csv: the file no longer exists");
}

TEST_F(WatchedFilesTest, HashedFilesMayBeRewrittenWithTheSameBytes) {
  WatchedFiles files({a_, b_});
  files.content_hash({a_});
  write(a_, "text,label\ngood,1\n");
  EXPECT_EQ(change_of(files), "");
  write(a_, "text,label\ngood,0\n");
  EXPECT_EQ(change_of(files), "a.csv: modified since the start");
  write(a_, "text,label\ngood,1\n");
  write(b_, "text,label\ngood,1\n");
  EXPECT_EQ(change_of(files), "b.csv: modified since the start") << "the file is not hashed";
}

TEST_F(WatchedFilesTest, FilesInAFolderAreWatched) {
  fs::create_directories(folder_ / "images/cat");
  write(folder_ / "images/cat/1.png", "one");
  WatchedFiles files({folder_ / "images"});
  files.content_hash({folder_ / "images"});
  write(folder_ / "images/cat/1.png", "two");
  EXPECT_EQ(change_of(files), "1.png: modified since the start");
}

}  // namespace
}  // namespace portatune::io
