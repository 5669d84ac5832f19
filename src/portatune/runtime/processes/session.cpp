#include "portatune/runtime/processes/session.h"

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/runtime/processes/frame.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;
using Kind = Frame::Kind;

constexpr auto kAbortTimeout = 2s;
constexpr auto kJoinPause = 100ms;  // pause between two attempts

// The last message of process 0; nothing if all have left.
std::optional<Ending> ending_in(const std::optional<Frame>& frame) {
  if (!frame) return Ending{.rank = 0, .exit_code = kLostProcess, .why = "the connection to it has ended"};
  if (frame->kind != Kind::kEnd) return {};
  return Ending{.rank = number_in<int64_t>(frame->key).value_or(0),
                .exit_code = static_cast<int>(frame->number),
                .why = frame->value};
}

// Retries if a connection ends: it may have been to process 0 of the previous run, or process 0 had too many.
Socket join(const std::string& host, int port, std::chrono::milliseconds timeout, const Session::Member& member) {
  const auto end = Socket::Clock::now() + timeout;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Socket::Clock::now());
    Socket socket = connect_to(host, port, left);
    send(socket, {.kind = Kind::kJoin, .number = member.rank, .value = std::to_string(member.size)});
    const std::optional<Frame> answer = receive_frame(socket, end);
    if (answer && answer->kind == Kind::kDone) return socket;
    if (answer && answer->kind == Kind::kRefused) {
      throw UsageError(
          {.where = "the launch",
           .given = answer->value,
           .expected = "a rank and a number of processes that fit process 0 at " + host + ":" + std::to_string(port),
           .fix = "check RANK and WORLD_SIZE, and that no other run uses this MASTER_PORT"});
    }
    std::this_thread::sleep_for(kJoinPause);
  } while (Socket::Clock::now() < end);
  throw DeviceError({.where = host + ":" + std::to_string(port),
                     .given = "a program that lets no process join",
                     .expected = "process 0, which waits there for the others",
                     .fix = "read the output of process 0, and check that no other program uses this port"});
}

}  // namespace

std::string joined_key(int64_t rank) { return kServerKeys + ("joined/" + std::to_string(rank)); }

Session::Session(const std::string& host, int port, std::chrono::milliseconds timeout, const Member& member,
                 std::function<void(const Ending&)> on_end)
    : socket_(join(host, port, timeout, member)), on_end_(std::move(on_end)) {
  watcher_ = std::thread([this] { watch(); });
}

Session::~Session() {
  {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
  }
  socket_.shut_down();
  watcher_.join();
}

void Session::watch() {
  const std::optional<Ending> ending = ending_in(receive_frame(socket_));
  bool is_unexpected;
  {
    const std::lock_guard lock(mutex_);
    is_unexpected = !is_leaving_;
    is_over_ = true;
    ending_ = ending;
  }
  over_.notify_all();
  if (is_unexpected && ending) on_end_(*ending);
}

std::optional<Ending> Session::leave() {
  std::unique_lock lock(mutex_);
  is_leaving_ = true;
  send(socket_, {.kind = Kind::kLeave});
  over_.wait(lock, [&] { return is_over_; });
  return ending_;
}

void Session::abort(int exit_code, const std::string& why) {
  std::unique_lock lock(mutex_);
  is_leaving_ = true;
  send(socket_, {.kind = Kind::kAbort, .number = exit_code, .value = why});
  over_.wait_for(lock, kAbortTimeout, [&] { return is_over_; });
}

}  // namespace portatune
