#include "portatune/io/file/seen_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temporary_folder.h"

namespace portatune::io {
namespace {

class SeenFilesTest : public testing::Test {
 protected:
  SeenFilesTest() {
    for (const std::string& file : {a_, b_}) {
      write_text(file, "12345");
      seen_.see(file);
    }
  }
  std::string change() const {
    const std::optional<FileChange> change = seen_.first_change();
    return change ? change->file + ": " + change->what : "";
  }

  const TemporaryFolder folder_;
  const std::string a_ = folder_ / "a.png", b_ = folder_ / "b.png";
  SeenFiles seen_;
};

TEST_F(SeenFilesTest, FilesThatAreReadAgainAreUnchanged) {
  seen_.see(a_);
  seen_.see(b_);
  EXPECT_EQ(change(), "");
}

TEST_F(SeenFilesTest, AChangeIsFoundAtTheNextReading) {
  write_text(b_, "123");
  seen_.see(a_);
  EXPECT_EQ(change(), "");
  seen_.see(b_);
  EXPECT_EQ(change(), b_ + ": 3 bytes instead of 5");
}

TEST_F(SeenFilesTest, TheFirstChangeIsReported) {
  std::filesystem::remove(b_);
  seen_.see(b_);
  write_text(a_, "1");
  seen_.see(a_);
  EXPECT_EQ(change(), b_ + ": the file no longer exists");
}

}  // namespace
}  // namespace portatune::io
