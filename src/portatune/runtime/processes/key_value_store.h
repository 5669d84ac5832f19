// The client of the key-value store in process 0.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/runtime/processes/frame.h"

namespace portatune {

/// A key-value store over TCP. Each call has its own connection, so that a waiting call does not block others.
class TcpKeyValueStore final : public KeyValueStore {
 public:
  /// timeout  longest time to wait for the first answer of process 0
  /// prefix   prefix of all keys of this client, to separate them from those of others
  TcpKeyValueStore(std::string host, int port, std::chrono::milliseconds timeout, std::string prefix = "");

  void put(const std::string& key, std::string_view value) override;
  std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) override;

 private:
  Frame request(const Frame& frame);

  const std::string host_;
  const int port_;
  const std::chrono::milliseconds timeout_;
  const std::string prefix_;
  std::atomic<bool> has_answered_ = false;
  std::mutex mutex_;
  std::vector<Socket> idle_;
};

}  // namespace portatune
