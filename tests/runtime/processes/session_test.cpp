#include "portatune/runtime/processes/session.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "portatune/error.h"
#include "portatune/runtime/processes/frame.h"
#include "portatune/runtime/processes/key_value_server.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A process, and the failure that it is notified of.
class Process {
 public:
  Process(int port, int64_t rank, int64_t size)
      : session_(std::in_place, "127.0.0.1", port, 5s, Session::Member{rank, size},
                 [this](const Ending& ending) { note(ending); }) {}

  Session& session() { return *session_; }
  void vanish() { session_.reset(); }

  // The failure, or nothing if there is no notification within the timeout.
  std::optional<Ending> notified(std::chrono::milliseconds timeout = 10s) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return notified_.has_value(); });
    return notified_;
  }

 private:
  void note(const Ending& ending) {
    const std::lock_guard lock(mutex_);
    notified_ = ending;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Ending> notified_;
  std::optional<Session> session_;
};

TEST(Session, NotifiesOthersOfALostProcess) {
  const KeyValueServer server(3, 0);
  Process zero(server.port(), 0, 3), one(server.port(), 1, 3), two(server.port(), 2, 3);
  two.vanish();
  for (Process* other : {&zero, &one}) {
    const std::optional<Ending> ending = other->notified();
    ASSERT_TRUE(ending);
    EXPECT_EQ(ending->rank, 2);
    EXPECT_EQ(ending->exit_code, kLostProcess);
    EXPECT_THAT(ending->why, HasSubstr("killed"));
  }
  EXPECT_FALSE(two.notified(0ms));
}

TEST(Session, NotifiesOthersOfTheExitCode) {
  const KeyValueServer server(2, 0);
  Process zero(server.port(), 0, 2), one(server.port(), 1, 2);
  one.session().abort(66);
  ASSERT_TRUE(zero.notified());
  EXPECT_EQ(zero.notified()->rank, 1);
  EXPECT_EQ(zero.notified()->exit_code, 66);
  EXPECT_FALSE(one.notified(0ms));
}

TEST(Session, NotifiesProcessesThatJoinAfterAFailure) {
  const KeyValueServer server(2, 0);
  Process zero(server.port(), 0, 2);
  zero.session().abort(2);
  Process one(server.port(), 1, 2);
  ASSERT_TRUE(one.notified());
  EXPECT_EQ(one.notified()->rank, 0);
}

TEST(Session, NotifiesOfTheLossOfProcessZero) {
  std::optional<KeyValueServer> server(std::in_place, 2, 0);
  Process one(server->port(), 1, 2);
  server.reset();
  ASSERT_TRUE(one.notified());
  EXPECT_EQ(one.notified()->rank, 0);
}

TEST(Session, LeavingIsNoFailureAndWaitsForAll) {
  const KeyValueServer server(2, 0);
  Process zero(server.port(), 0, 2), one(server.port(), 1, 2);
  std::atomic<bool> zero_has_left = false;
  std::thread other([&] {
    EXPECT_FALSE(one.session().leave());
    EXPECT_TRUE(zero_has_left);
  });
  std::this_thread::sleep_for(100ms);
  zero_has_left = true;
  EXPECT_FALSE(zero.session().leave());
  other.join();
  EXPECT_FALSE(zero.notified(100ms));
  EXPECT_FALSE(one.notified(0ms));
}

TEST(Session, LeaveReturnsAFailure) {
  const KeyValueServer server(2, 0);
  Process zero(server.port(), 0, 2), one(server.port(), 1, 2);
  std::optional<Ending> ending;
  std::thread other([&] { ending = one.session().leave(); });
  std::this_thread::sleep_for(100ms);
  zero.session().abort(74, "the disk is full");
  other.join();
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->rank, 0);
  EXPECT_EQ(ending->exit_code, 74);
  EXPECT_EQ(ending->why, "the disk is full");
}

TEST(Session, LeaveReturnsTheLossOfProcessZero) {
  std::optional<KeyValueServer> server(std::in_place, 2, 0);
  Process zero(server->port(), 0, 2), one(server->port(), 1, 2);
  std::optional<Ending> ending;
  std::thread other([&] { ending = one.session().leave(); });
  std::this_thread::sleep_for(100ms);
  server.reset();
  other.join();
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->exit_code, kLostProcess);
}

TEST(Session, RefusesUnexpectedProcesses) {
  const KeyValueServer server(2, 0);
  Process one(server.port(), 1, 2);
  const auto error_of = [&](int64_t rank, int64_t size) {
    try {
      Process other(server.port(), rank, size);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of(1, 2), HasSubstr("the rank of a process that has already joined"));
  EXPECT_THAT(error_of(0, 3), HasSubstr("while process 0 is one of 2"));
  EXPECT_FALSE(one.notified(100ms));
}

TEST(Session, RetriesWhileThePreviousRunEnds) {
  auto old = std::make_unique<KeyValueServer>(1, 0);
  const int port = old->port();
  Process before(port, 0, 1);
  before.session().abort(1);
  std::optional<KeyValueServer> next;
  std::thread other([&] {
    std::this_thread::sleep_for(300ms);
    old.reset();
    next.emplace(2, port);
  });
  Process one(port, 1, 2);  // the old server does not expect it
  other.join();
  EXPECT_FALSE(one.notified(100ms));
}

TEST(Session, ReportsAnotherProgramAtThePort) {
  const Socket listening = listen_at(0);
  std::thread closes([&] {
    while (accept_from(listening).is_open()) continue;
  });
  try {
    Session session("127.0.0.1", port_of(listening), 500ms, {.rank = 1, .size = 2}, [](const Ending&) {});
    ADD_FAILURE() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("lets no process join"));
  }
  listening.shut_down();
  closes.join();
}

TEST(Session, UnknownConnectionsMayEnd) {
  const KeyValueServer server(2, 0);
  Process zero(server.port(), 0, 2);
  for (const char* text : {"", "HELO example\r\n"}) {
    const Socket stranger = connect_to("127.0.0.1", server.port(), 5s);
    stranger.send(std::as_bytes(std::span(std::string_view(text))));
  }
  const Socket asks = connect_to("127.0.0.1", server.port(), 5s);
  send(asks, {.kind = Frame::Kind::kGet, .key = "a"});
  EXPECT_FALSE(zero.notified(200ms));
}

}  // namespace
}  // namespace portatune
