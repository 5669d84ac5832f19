// What process 0 does for all: keeps what they tell each other, and knows which of them are there.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace portatune {

/// Serves on threads of its own until it is destroyed. What is no frame, is too large, too slow or comes from too many
/// ends the connection that it comes by, and nothing else. There is no password: who knows the frames is served, and
/// the port is for a network that one trusts.
class KeyValueServer {
 public:
  /// Of `processes`, those with the numbers 0 to processes - 1.
  /// port    0: any that is free
  /// errors  DeviceError if the port is taken
  KeyValueServer(int64_t processes, int port);
  ~KeyValueServer();
  KeyValueServer(const KeyValueServer&) = delete;
  KeyValueServer& operator=(const KeyValueServer&) = delete;

  int port() const;
  /// Whether all have joined before the time is up.
  bool wait_until_joined(std::chrono::milliseconds timeout);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
