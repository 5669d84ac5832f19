#include "portatune/runtime/processes/key_value_store.h"

#include <algorithm>

#include "portatune/error.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;

constexpr auto kReconnectTimeout = 5s;

// The key in a form for messages.
std::string named(const std::string& key) { return "key \"" + key.substr(0, 100) + "\""; }

void require_size(const std::string& key, std::string_view value) {
  if (key.size() <= kMaxKeyBytes && value.size() <= kMaxValueBytes) return;
  throw UsageError(
      {.where = named(key),
       .given = "a key of " + std::to_string(key.size()) + " bytes and a value of " + std::to_string(value.size()),
       .expected = "at most " + std::to_string(kMaxKeyBytes) + " and " + std::to_string(kMaxValueBytes)});
}

void require(bool is_granted, const std::string& key, const Frame& answer) {
  if (is_granted) return;
  throw DeviceError({.where = named(key), .given = answer.value, .expected = "an answer of the store in process 0"});
}

}  // namespace

TcpKeyValueStore::TcpKeyValueStore(std::string host, int port, std::chrono::milliseconds timeout, std::string prefix)
    : host_(std::move(host)), port_(port), timeout_(timeout), prefix_(std::move(prefix)) {}

Frame TcpKeyValueStore::request(const Frame& frame) {
  Socket socket;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      socket = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!socket.is_open()) {
    socket = connect_to(host_, port_,
                        has_answered_ ? std::min<std::chrono::milliseconds>(timeout_, kReconnectTimeout) : timeout_);
  }
  if (send(socket, frame)) {
    if (std::optional<Frame> answer = receive_frame(socket)) {
      has_answered_ = true;
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(socket));
      return *std::move(answer);
    }
  }
  throw DeviceError({.where = host_ + ":" + std::to_string(port_),
                     .given = "a connection that has ended",
                     .expected = "an answer of process 0 about the " + named(frame.key),
                     .fix = "read the output of process 0; it has ended, or refuses more connections"});
}

void TcpKeyValueStore::put(const std::string& key, std::string_view value) {
  require_size(prefix_ + key, value);
  const Frame answer = request({.kind = Frame::Kind::kPut, .key = prefix_ + key, .value = std::string(value)});
  require(answer.kind == Frame::Kind::kDone, key, answer);
}

std::optional<std::string> TcpKeyValueStore::get(const std::string& key, std::chrono::milliseconds timeout) {
  require_size(prefix_ + key, {});
  Frame answer = request({.kind = Frame::Kind::kGet, .number = timeout.count(), .key = prefix_ + key});
  if (answer.kind == Frame::Kind::kNothing) return {};
  require(answer.kind == Frame::Kind::kDone, key, answer);
  return std::move(answer.value);
}

}  // namespace portatune
