#include "portatune/runtime/processes/shared_failure.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>

#include "portatune/error.h"
#include "runtime/processes/thread_group.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The messages of three processes, the second of which throws `error`; "other" for an error of another type.
template <class Caught, class Thrown>
std::vector<std::string> messages_of(const Thrown& error) {
  std::vector<std::string> messages(3);
  in_processes(3, [&](ProcessGroup& processes) {
    std::string& message = messages[static_cast<size_t>(processes.rank())];
    try {
      in_all(&processes, [&] {
        if (processes.rank() == 1) throw error;
        return 0;
      });
    } catch (const Caught& caught) {
      message = caught.what();
    } catch (...) {
      message = "other";
    }
  });
  return messages;
}

template <class Kind>
void expect_in_all() {
  EXPECT_THAT(
      messages_of<Kind>(Kind({.where = "b.png", .given = "no image", .expected = "one", .fix = "mend it"})),
      ElementsAre(StartsWith("process 1 of 3, b.png\n  given     no image\n  expected  one\n  fix       mend it"),
                  StartsWith("b.png"), StartsWith("process 1 of 3, b.png")));
}

TEST(InAll, ReturnsTheResultOfEachProcess) {
  std::vector<int64_t> made(2);
  in_processes(2, [&](ProcessGroup& processes) {
    made[static_cast<size_t>(processes.rank())] = in_all(&processes, [&] { return 10 + processes.rank(); });
  });
  EXPECT_THAT(made, ElementsAre(10, 11));
  EXPECT_EQ(in_all(nullptr, [] { return 7; }), 7);
}

TEST(InAll, StopsAllProcesses) {
  std::atomic<int> stopped = 0;
  in_processes(3, [&](ProcessGroup& processes) {
    try {
      in_all(&processes, [&] {
        if (processes.rank() == 1) throw Stopped();
        return 0;
      });
    } catch (const Stopped&) {
      ++stopped;
    }
  });
  EXPECT_EQ(stopped, 3);
}

TEST(InAll, ThrowsAnErrorInAllProcesses) {
  expect_in_all<ShapeError>();
  expect_in_all<DataError>();
  expect_in_all<CheckpointError>();
  expect_in_all<NotFoundError>();
  expect_in_all<UsageError>();
  expect_in_all<DeviceError>();
  expect_in_all<NumericError>();
  expect_in_all<IoError>();
}

TEST(InAll, ForeignExceptionsAreIoErrorsInOtherProcesses) {
  EXPECT_THAT(messages_of<IoError>(std::runtime_error("strange")),
              ElementsAre(AllOf(StartsWith("process 1 of 3"), HasSubstr("strange")), "other",
                          AllOf(StartsWith("process 1 of 3"), HasSubstr("strange"))));
}

TEST(InAll, EachProcessKeepsItsOwnError) {
  std::vector<std::string> messages(2);
  in_processes(2, [&](ProcessGroup& processes) {
    try {
      in_all(&processes, []() -> int { throw DataError({.where = "train.csv:7"}); });
    } catch (const DataError& error) {
      messages[static_cast<size_t>(processes.rank())] = error.what();
    }
  });
  EXPECT_THAT(messages, Each(std::string("train.csv:7")));
}

}  // namespace
}  // namespace portatune::test
