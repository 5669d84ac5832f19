#include "portatune/io/checksum/content_hash.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/limited_memory.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

// The expected values are from xxh3_64_hexdigest of python-xxhash.
TEST(ContentHash, IsXxh3OfTheBytes) {
  const TemporaryFolder folder;
  write_text(folder / "empty", "");
  write_text(folder / "abc", "abc");
  EXPECT_EQ(content_hash({folder / "empty"}), "2d06800538d394c2");
  EXPECT_EQ(content_hash({folder / "abc"}), "78af5f94892f3950");
}

TEST(ContentHash, EqualsTheHashOfBytesInMemory) { EXPECT_EQ(hash_of("abc"), 0x78af5f94892f3950u); }

TEST(ContentHash, EqualsTheHashInMemoryForSeveralPieces) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i);
  write_text(folder / "long", text);
  EXPECT_EQ(std::stoull(content_hash({folder / "long"}), nullptr, 16), hash_of(text));
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  ContentHash hash;
  EXPECT_EQ(hash.value(), 0x2d06800538d394c2u);
  hash.add(std::as_bytes(std::span("a", 1)));
  hash.add(std::as_bytes(std::span("bc", 2)));
  EXPECT_EQ(hash.value(), 0x78af5f94892f3950u);
}

TEST(ContentHash, SumOfAFileHasItsSize) {
  const TemporaryFolder folder;
  write_text(folder / "abc", "abc");
  EXPECT_EQ(sum_of_file(folder / "abc"), (FileSum{.bytes = 3, .xxh3 = 0x78af5f94892f3950u}));
  EXPECT_THROW(sum_of_file(folder / "nowhere"), NotFoundError);
}

TEST(ContentHash, NeedsLittleMemory) {
  if (!kMemoryCanBeLimited) GTEST_SKIP() << "memory cannot be limited";
  const TemporaryFolder folder;
  write_text(folder / "long", "");
  std::filesystem::resize_file(folder / "long", 1 << 30);
  EXPECT_EXIT(exit_after(64 << 20, [&] { return !content_hash({folder / "long"}).empty(); }),
              testing::ExitedWithCode(0), "");
}

TEST(ContentHash, DependsOnlyOnBytesAndOrder) {
  const TemporaryFolder folder;
  write_text(folder / "a", "text,label\ngood,1\n");
  write_text(folder / "same", "text,label\ngood,1\n");
  write_text(folder / "b", "text,label\ngood,0\n");
  EXPECT_EQ(content_hash({folder / "a", folder / "b"}), content_hash({folder / "same", folder / "b"}));
  EXPECT_NE(content_hash({folder / "a", folder / "b"}), content_hash({folder / "b", folder / "a"}));
  EXPECT_NE(content_hash({folder / "a"}), content_hash({folder / "b"}));
  EXPECT_NE(content_hash({folder / "a"}), content_hash({folder / "a", folder / "a"}));
}

TEST(ContentHash, AMissingFileIsNotFound) { EXPECT_THROW(content_hash({"/nowhere/a.csv"}), NotFoundError); }

}  // namespace
}  // namespace portatune::io
