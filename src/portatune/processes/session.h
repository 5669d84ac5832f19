// A process among those that work together: it joins, sees to it that the others are there, and leaves.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "portatune/processes/socket.h"

namespace portatune {

/// The exit code of those that end because another one has vanished: as where a device is missing.
constexpr int kLostProcess = 69;

/// How the keys begin that the one who keeps the store has put there; others may read them.
constexpr const char* kOwnKeys = "server/";

/// The key under which a process is in the store once it has joined.
std::string joined_key(int64_t rank);

/// The key of the address by which other machines reach that of process 0; empty if all processes are on it. It is in
/// the store as soon as that is known.
constexpr const char* kMachineKey = "server/machine";

/// Why all are to end.
struct Ending {
  int64_t rank;  ///< of the one that has failed or vanished
  int exit_code;
  std::string why;
};

class Session {
 public:
  struct Member {
    int64_t rank, size;
  };
  /// Joins at process 0.
  /// timeout  for it to answer
  /// on_end    is called once, on a thread of the session, when another process fails or vanishes
  /// errors    DeviceError if nobody answers as process 0 does; UsageError if it is not one of those that process 0 expects
  Session(const std::string& host, int port, std::chrono::milliseconds timeout, const Member& member,
          std::function<void(const Ending&)> on_end);
  /// Without leave() the others take it for lost.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// This machine's address, as it looks from process 0's.
  std::string address() const { return own_address(socket_); }
  /// Says that it ends, with no exchange behind it, and waits until all have said so.
  /// returns  what another one has failed with, if it has
  [[nodiscard]] std::optional<Ending> leave();
  /// Asks all others to end, and waits a moment until they have been told.
  void abort(int exit_code, const std::string& why = "it has failed");

 private:
  void watch();

  const Socket socket_;
  const std::function<void(const Ending&)> on_end_;
  std::mutex mutex_;
  std::condition_variable told_;
  bool is_leaving_ = false, is_over_ = false;
  std::optional<Ending> ending_;
  std::thread watcher_;
};

}  // namespace portatune
