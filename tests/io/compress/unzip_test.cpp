#include "portatune/io/compress/unzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "io/temporary_folder.h"
#include "io/write_zip.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Unzip : public testing::Test {
 protected:
  fs::path archive(const std::vector<ZipEntry>& entries) const {
    write_zip(folder_.path() / "a.zip", entries);
    return folder_.path() / "a.zip";
  }
  fs::path target() const { return folder_.path() / "out"; }
  std::string text(const std::string& name) const { return read_text(target() / name, 1 << 30); }

  TemporaryFolder folder_;
};

TEST_F(Unzip, ExtractsTheFilesWithThePrefix) {
  const std::string large(3'000'000, 'x');
  const fs::path zip = archive({{"a/b.txt", "one"}, {"a/c/d.bin", large}, {"other/e.txt", "two"}});
  EXPECT_EQ(unzip(zip, "a/", target()), 2);
  EXPECT_EQ(text("b.txt"), "one");
  EXPECT_EQ(text("c/d.bin"), large);
  EXPECT_FALSE(fs::exists(target() / "e.txt"));
}

TEST_F(Unzip, KeepsOnlyTheExecutablePermission) {
  const mode_t mask = umask(022);
  unzip(archive({{"ptxas", "x", 0744}, {"lib.so", "x", 0666}}), "", target());
  umask(mask);
  EXPECT_EQ(fs::status(target() / "ptxas").permissions(), fs::perms(0755));
  EXPECT_EQ(fs::status(target() / "lib.so").permissions(), fs::perms(0644));
}

TEST_F(Unzip, RefusesNamesThatLeadOut) {
  for (const char* name : {"../evil", "a/../../evil", "/evil"}) {
    EXPECT_THAT(
        [&] {
          unzip(archive({{name, "x"}}), "", target());
        },
        ThrowsMessage<DataError>(AllOf(HasSubstr("a.zip"), HasSubstr("leads out of its folder"))))
        << name;
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "evil"));
}

TEST_F(Unzip, DamageIsAnError) {
  const fs::path zip = archive({{"a", std::string(1000, 'x') + "unmistakable"}});
  std::string bytes = read_text(zip, 1 << 20);
  bytes[50] ^= 1;  // a byte of the compressed data
  fs::remove(zip);
  write_file(zip, bytes);
  EXPECT_THAT([&] { unzip(zip, "", target()); }, ThrowsMessage<DataError>(HasSubstr("a.zip")));
  EXPECT_FALSE(fs::exists(target() / "a"));
}

TEST_F(Unzip, RefusesOtherFiles) {
  write_file(folder_.path() / "b.zip", std::string_view("no zip"));
  EXPECT_THAT([&] { unzip(folder_.path() / "b.zip", "", target()); },
              ThrowsMessage<DataError>(HasSubstr("not a zip archive")));
}

TEST_F(Unzip, EndsAtAStopRequest) {
  const fs::path zip = archive({{"a", "x"}});
  StopSource stop;
  const StopScope scope(stop.token());
  stop.request_stop();
  EXPECT_THROW(unzip(zip, "", target()), Stopped);
  EXPECT_FALSE(fs::exists(target() / "a"));
}

}  // namespace
}  // namespace portatune::io
