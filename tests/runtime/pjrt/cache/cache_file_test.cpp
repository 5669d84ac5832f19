#include "portatune/runtime/pjrt/cache/cache_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::pjrt {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class CacheFile : public testing::Test {
 protected:
  fs::path file(const std::string& name) const { return folder_.path() / "new" / (name + ".portatune-exec"); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "new")) names.push_back(entry.path().stem());
    return names;
  }
  TemporaryFolder folder_;
};

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(CacheFile, ReadsTheWrittenPayload) {
  const std::string payload("a\0b", 3);
  write_cache_file(file("x"), payload);
  EXPECT_EQ(read_cache_file(file("x")), payload);
  write_cache_file(file("x"), "other");
  EXPECT_EQ(read_cache_file(file("x")), "other");
}

TEST_F(CacheFile, MayBeEmpty) {
  write_cache_file(file("x"), "");
  EXPECT_EQ(read_cache_file(file("x")), "");
}

TEST_F(CacheFile, MissingFileIsNothing) { EXPECT_EQ(read_cache_file(file("x")), std::nullopt); }

TEST_F(CacheFile, OnlyTheUserMayRead) {
  write_cache_file(file("x"), "payload");
  EXPECT_EQ(fs::status(file("x").parent_path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file("x")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CacheFile, RefusesTruncatedFiles) {
  write_cache_file(file("x"), "payload");
  const std::string whole = bytes_of(file("x"));
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(file("x"), std::ios::binary) << whole.substr(0, length);
    EXPECT_EQ(read_cache_file(file("x")), std::nullopt) << length;
  }
  std::ofstream(file("x"), std::ios::binary) << whole << "tail";
  EXPECT_EQ(read_cache_file(file("x")), std::nullopt);
}

TEST_F(CacheFile, RefusesAlteredFiles) {
  write_cache_file(file("x"), "payload");
  const std::string whole = bytes_of(file("x"));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string altered = whole;
    altered[i] = static_cast<char>(altered[i] ^ 0x80);
    std::ofstream(file("x"), std::ios::binary) << altered;
    EXPECT_EQ(read_cache_file(file("x")), std::nullopt) << i;
  }
}

TEST_F(CacheFile, UnwritableFolderIsAnError) { EXPECT_THROW(write_cache_file("/proc/nowhere/x", "payload"), Error); }

TEST_F(CacheFile, TrimsTheLeastRecentlyUsedFiles) {
  const auto now = fs::file_time_type::clock::now();
  for (const auto& [name, age] : {std::pair{"oldest", 3}, {"middle", 2}, {"newest", 1}}) {
    write_cache_file(file(name), std::string(976, 'x'));  // 1000 bytes with the header
    fs::last_write_time(file(name), now - std::chrono::hours(age));
  }
  trim_cache_folder(folder_.path() / "new", 3000);
  EXPECT_THAT(files(), UnorderedElementsAre("oldest", "middle", "newest"));
  ASSERT_TRUE(read_cache_file(file("oldest")));  // now it is the most recently used
  trim_cache_folder(folder_.path() / "new", 2999);
  EXPECT_THAT(files(), UnorderedElementsAre("oldest", "newest"));
}

TEST_F(CacheFile, TrimsFilesOfInterruptedWriters) {
  write_cache_file(file("x"), "payload");
  const fs::path abandoned = file("x").parent_path() / "tmp.x.portatune-exec.0123456789abcdef";
  const fs::path in_progress = file("x").parent_path() / "tmp.x.portatune-exec.1123456789abcdef";
  std::ofstream(abandoned) << "x";
  std::ofstream(in_progress) << "x";
  fs::last_write_time(abandoned, fs::file_time_type::clock::now() - std::chrono::hours(2));
  trim_cache_folder(folder_.path() / "new", 1000);
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(in_progress));
  EXPECT_TRUE(fs::exists(file("x")));
}

TEST_F(CacheFile, TrimmingLeavesForeignFilesAlone) {
  write_cache_file(file("x"), "payload");
  std::ofstream(folder_.path() / "new" / "letter.txt") << "dear reader";
  trim_cache_folder(folder_.path() / "new", 0);
  EXPECT_THAT(files(), UnorderedElementsAre("letter"));
}

}  // namespace
}  // namespace portatune::pjrt
