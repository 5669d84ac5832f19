// The store that process 0 keeps, as each process sees it.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/processes/frame.h"

namespace portatune {

/// Over TCP. A call has a connection of its own while it lasts, so that one that waits is in no other's way.
class TcpKeyValueStore final : public KeyValueStore {
 public:
  /// timeout  for process 0 to answer for the first time
  /// prefix    of all keys: what others put under other ones is not in the way
  TcpKeyValueStore(std::string host, int port, std::chrono::milliseconds timeout, std::string prefix = "");

  void put(const std::string& key, std::string_view value) override;
  std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) override;

 private:
  Frame ask(const Frame& question);

  const std::string host_;
  const int port_;
  const std::chrono::milliseconds timeout_;
  const std::string prefix_;
  std::atomic<bool> has_answered_ = false;
  std::mutex mutex_;
  std::vector<Socket> idle_;
};

}  // namespace portatune
