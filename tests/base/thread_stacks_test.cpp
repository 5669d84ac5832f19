#include "portatune/base/threads/thread_stacks.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <pthread.h>

#include <latch>
#include <thread>

#include "io/temporary_folder.h"
#include "portatune/base/files/file_descriptor.h"

namespace portatune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ThreadStacks, ContainEveryThreadWithNameAndFunctions) {
  const TemporaryFolder folder;
  std::latch waiting(1), end(1);
  std::jthread other([&] {
    pthread_setname_np(pthread_self(), "stage-of-test");
    waiting.count_down();
    end.wait();
  });
  waiting.wait();
  const FileDescriptor file = FileDescriptor::open(folder / "stacks", O_WRONLY | O_CREAT, 0600);
  write_thread_stacks(file.number());
  end.count_down();
  const std::string text = text_of(folder / "stacks");
  EXPECT_THAT(text, AllOf(HasSubstr("(stage-of-test)\n"), HasSubstr("base_test"), HasSubstr("libc.so"),
                          Not(HasSubstr("does not answer"))));
  EXPECT_EQ(text.find("thread "), 0u);
  EXPECT_NE(text.find("thread ", 1), std::string::npos);
}

}  // namespace
}  // namespace portatune
