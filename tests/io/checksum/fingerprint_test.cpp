#include "portatune/io/checksum/fingerprint.h"

#include <gtest/gtest.h>

#include <set>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

TEST(Fingerprint, DoesNotDependOnThePath) {
  const TemporaryFolder folder;
  write_text(folder / "a", "text");
  write_text(folder / "b", "text");
  EXPECT_EQ(fingerprint(folder / "a"), fingerprint(folder / "b"));
  EXPECT_EQ(fingerprint(folder / "a").size(), 16u);
}

TEST(Fingerprint, OfFilesUpTo64KbDependsOnEveryByte) {
  const TemporaryFolder folder;
  std::set<std::string> found;
  std::string bytes(64 * 1024, 'x');
  size_t count = 0;
  for (size_t at = 0; at < bytes.size(); at += 1021, ++count) {
    std::string changed = bytes;
    changed[at] = 'y';
    write_text(folder / "a", changed);
    found.insert(fingerprint(folder / "a"));
  }
  EXPECT_EQ(found.size(), count);
}

TEST(Fingerprint, OfLargeFilesDependsOnSizeBeginningAndEnd) {
  const TemporaryFolder folder;
  const std::string bytes(1'000'000, 'x');
  std::set<std::string> found;
  for (const size_t at : {size_t{0}, size_t{4095}, bytes.size() - 1, bytes.size() - 4096}) {
    std::string changed = bytes;
    changed[at] = 'y';
    write_text(folder / "a", changed);
    found.insert(fingerprint(folder / "a"));
  }
  write_text(folder / "a", bytes);
  found.insert(fingerprint(folder / "a"));
  write_text(folder / "a", bytes + "x");
  found.insert(fingerprint(folder / "a"));
  EXPECT_EQ(found.size(), 6u);
}

TEST(Fingerprint, OfAMissingFileIsNotFound) { EXPECT_THROW(fingerprint("/no/such/file"), NotFoundError); }

}  // namespace
}  // namespace portatune::io
