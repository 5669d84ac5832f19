#include "portatune/io/file/pipe_copy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "io/temporary_folder.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"

namespace portatune::io {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends;
    EXPECT_EQ(pipe(ends.data()), 0);
    reading = FileDescriptor(ends[0]);
    writing = FileDescriptor(ends[1]);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(reading.number()); }
  FileDescriptor reading, writing;
};

std::string bytes_of(const RandomAccessFile& file, int64_t offset = 0) {
  std::string text(static_cast<size_t>(file.size()), '\0');
  text.resize(file.read_at(offset, text));
  return text;
}

TEST(PipeCopy, CanBeReadAgainAndAtAnyOffset) {
  Pipe pipe;
  std::string large;
  for (int i = 0; i < 300'000; ++i) large += static_cast<char>('a' + i % 26);
  std::thread writer([&] {
    size_t done = 0;
    while (done < large.size()) {
      const ssize_t count = write(pipe.writing.number(), large.data() + done, large.size() - done);
      ASSERT_GT(count, 0);
      done += static_cast<size_t>(count);
    }
    pipe.writing.close();
  });
  const auto first = open_random_access(pipe.path());
  writer.join();
  EXPECT_EQ(first->size(), std::ssize(large));
  EXPECT_EQ(bytes_of(*first), large);
  EXPECT_EQ(bytes_of(*open_random_access(pipe.path()), 299'990), large.substr(299'990));
}

TEST(PipeCopy, OfANamedPipeHasTheBytesOfItsLastWriter) {
  const TemporaryFolder folder;
  const std::string path = (folder / "rows").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto write_text = [&path](const std::string& text) {
    const FileDescriptor writer(open(path.c_str(), O_WRONLY));  // waits for a reader
    EXPECT_EQ(write(writer.number(), text.data(), text.size()), std::ssize(text));
  };
  std::thread first(write_text, "first");
  EXPECT_EQ(bytes_of(*open_random_access(path)), "first");
  first.join();
  EXPECT_EQ(bytes_of(*open_random_access(path)), "first");
  write_text("second");
  EXPECT_EQ(bytes_of(*open_random_access(path)), "second");
  EXPECT_EQ(bytes_of(*open_random_access(path)), "second");
}

TEST(PipeCopy, OfAPipeWithoutBytesIsEmpty) {
  Pipe pipe;
  pipe.writing.close();
  EXPECT_EQ(open_random_access(pipe.path())->size(), 0);
}

TEST(PipeCopy, ASignalEndsTheWaitForTheWriter) {
  const Pipe pipe;
  StopSource stop;
  const StopScope scope(stop.token());
  const std::jthread stops([&] { stop.request_stop(); });
  EXPECT_THROW(open_random_access(pipe.path()), Stopped);
}

TEST(PipeCopy, OtherFilesAreRefused) {
  EXPECT_THROW(open_random_access("/dev/zero"), IoError);
  EXPECT_THROW(open_random_access("/tmp"), IoError);
}

}  // namespace
}  // namespace portatune::io
