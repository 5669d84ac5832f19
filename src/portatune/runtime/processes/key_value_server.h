// The server of process 0: it holds the key-value store of the group and tracks which processes are alive.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace portatune {

/// A server on its own threads, until its destruction. An invalid, too large or too slow frame, or too many
/// connections, end only the connection concerned. There is no authentication: use the port only in a trusted network.
class KeyValueServer {
 public:
  /// processes  number of processes; their ranks are 0 to processes - 1
  /// port       port to listen on; 0: any free port
  /// errors     DeviceError if the port is taken
  KeyValueServer(int64_t processes, int port);
  ~KeyValueServer();
  KeyValueServer(const KeyValueServer&) = delete;
  KeyValueServer& operator=(const KeyValueServer&) = delete;

  int port() const;
  /// Waits until all processes have joined; false if they have not within `timeout`.
  bool wait_until_joined(std::chrono::milliseconds timeout);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
