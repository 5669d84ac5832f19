#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CutFile : public testing::Test {
 protected:
  void cut_to(int64_t bytes) const { std::filesystem::resize_file(path_, static_cast<uintmax_t>(bytes)); }
  std::string error_of(const MappedFile& file) const {
    return message_of<IoError>([&] { file.require_whole(); });
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "weights";
  const int64_t page_ = sysconf(_SC_PAGESIZE);
  const int64_t bytes_ = 4 * page_ - 7;
  void SetUp() override { write_text(path_, std::string(static_cast<size_t>(bytes_), 'x')); }
};

TEST_F(CutFile, HasZerosAndAnErrorWithItsName) {
  const MappedFile file = MappedFile::open(path_, FileAccess::kMap);
  EXPECT_NO_THROW(file.require_whole());
  cut_to(page_ + 1);
  const auto last = static_cast<size_t>(bytes_ - 1), second = static_cast<size_t>(2 * page_);
  EXPECT_EQ(file.bytes()[0], std::byte('x'));
  EXPECT_EQ(file.bytes()[last], std::byte(0));
  EXPECT_EQ(file.bytes()[second], std::byte(0));
  EXPECT_THAT(error_of(file), AllOf(HasSubstr(path_.string()), HasSubstr(std::to_string(page_ + 1) + " bytes now"),
                                    HasSubstr(std::to_string(bytes_) + " bytes when it was opened")));
}

// The system returns zeros by itself within the last page of a file.
TEST_F(CutFile, IsNoticedWithinItsLastPage) {
  const MappedFile file = MappedFile::open(path_, FileAccess::kMap);
  cut_to(bytes_ - 1);
  EXPECT_THAT(error_of(file), HasSubstr(path_.string()));
}

TEST_F(CutFile, IsNoticedAfterItIsExtendedAgain) {
  const MappedFile file = MappedFile::open(path_, FileAccess::kMap);
  cut_to(page_);
  EXPECT_EQ(file.bytes()[static_cast<size_t>(2 * page_)], std::byte(0));
  cut_to(bytes_);
  EXPECT_THAT(error_of(file), AllOf(HasSubstr(path_.string()), HasSubstr("temporarily shorter")));
}

TEST_F(CutFile, StaysGuardedAfterAMove) {
  MappedFile file = MappedFile::open(path_, FileAccess::kMap);
  const MappedFile moved = std::move(file);
  cut_to(0);
  EXPECT_EQ(moved.bytes()[0], std::byte(0));
  EXPECT_THROW(moved.require_whole(), IoError);
}

TEST_F(CutFile, StaysCompleteInMemory) {
  const MappedFile file = MappedFile::open(path_, FileAccess::kRead);
  cut_to(0);
  EXPECT_EQ(file.bytes()[0], std::byte('x'));
  EXPECT_NO_THROW(file.require_whole());
}

TEST_F(CutFile, IsReadIntoMemoryIfNoGuardIsFree) {
  std::vector<MappedFile> files;
  for (int i = 0; i < 257; ++i) files.push_back(MappedFile::open(path_, FileAccess::kMap));
  cut_to(0);
  EXPECT_EQ(files.back().bytes()[0], std::byte('x'));
  EXPECT_EQ(files.front().bytes()[0], std::byte(0));
}

TEST(MappedFileDeathTest, OtherBusErrorsEndTheProcess) {
  const TemporaryFolder folder;
  write_text(folder / "guarded", "text");
  write_text(folder / "other", "text");
  const auto fault = [&] {
    const MappedFile guarded = MappedFile::open(folder / "guarded", FileAccess::kMap);
    const FileDescriptor other = FileDescriptor::open(folder / "other", O_RDWR);
    const auto* const page =
        static_cast<const volatile char*>(mmap(nullptr, 4, PROT_READ, MAP_SHARED, other.number(), 0));
    std::filesystem::resize_file(folder / "other", 0);
    return *page;
  };
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace portatune::io
