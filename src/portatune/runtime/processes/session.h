// The membership of a process in its group: it joins, notices the failure of others, and leaves.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "portatune/runtime/processes/socket.h"

namespace portatune {

/// The exit code of processes that end because another one was lost; the same as for a missing device.
constexpr int kLostProcess = 69;

/// Prefix of the keys that only the server writes; all processes may read them.
constexpr const char* kServerKeys = "server/";

/// The key that is in the store once a process has joined.
std::string joined_key(int64_t rank);

/// The key of the address by which other machines reach process 0; the address is empty if all processes are on one
/// machine. It is in the store as soon as the address is known.
constexpr const char* kMachineKey = "server/machine";

/// The failure of a process, which ends the whole group.
struct Ending {
  int64_t rank;  ///< rank of the process that has failed or was lost
  int exit_code;
  std::string why;
};

/// A connection to process 0, which lasts as long as this process belongs to the group.
class Session {
 public:
  struct Member {
    int64_t rank, size;
  };
  /// Joins the group at process 0.
  /// timeout  longest time to wait for an answer of process 0
  /// on_end   called once, on a thread of the session, when another process fails or is lost
  /// errors   DeviceError if process 0 does not answer; UsageError if process 0 does not expect this member
  Session(const std::string& host, int port, std::chrono::milliseconds timeout, const Member& member,
          std::function<void(const Ending&)> on_end);
  /// Without leave() the others regard this process as lost.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// This machine's address in the network of process 0.
  std::string address() const { return own_address(socket_); }
  /// Leaves the group, after the last exchange, and waits until all have left.
  /// returns  the failure of another process, if there is one
  [[nodiscard]] std::optional<Ending> leave();
  /// Terminates all others; waits a moment until process 0 has notified them.
  void abort(int exit_code, const std::string& why = "it has failed");

 private:
  void watch();

  const Socket socket_;
  const std::function<void(const Ending&)> on_end_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_leaving_ = false, is_over_ = false;
  std::optional<Ending> ending_;
  std::thread watcher_;
};

}  // namespace portatune
