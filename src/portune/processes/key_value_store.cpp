#include "portune/processes/key_value_store.h"

#include "portune/error.h"

namespace portune {
namespace {

// The key as it may stand in a message.
std::string named(const std::string& key) { return "key \"" + key.substr(0, 100) + "\""; }

void require_size(const std::string& key, std::string_view value) {
  if (key.size() <= kMostKeyBytes && value.size() <= kMostValueBytes) return;
  throw UsageError(
      {.where = named(key),
       .given = "a key of " + std::to_string(key.size()) + " bytes and a value of " + std::to_string(value.size()),
       .expected = "at most " + std::to_string(kMostKeyBytes) + " and " + std::to_string(kMostValueBytes)});
}

}  // namespace

TcpKeyValueStore::TcpKeyValueStore(std::string host, int port, std::chrono::milliseconds patience)
    : host_(std::move(host)), port_(port), patience_(patience) {}

Frame TcpKeyValueStore::ask(const Frame& question) {
  Socket socket;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      socket = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!socket.is_open()) socket = connect_to(host_, port_, patience_);
  if (send(socket, question)) {
    if (std::optional<Frame> answer = receive_frame(socket)) {
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(socket));
      return *std::move(answer);
    }
  }
  throw DeviceError({.where = host_ + ":" + std::to_string(port_),
                     .given = "a connection that has ended",
                     .expected = "an answer of process 0 about the " + named(question.key),
                     .fix = "look at what process 0 says; it has ended, or refuses more connections"});
}

void TcpKeyValueStore::put(const std::string& key, std::string_view value) {
  require_size(key, value);
  const Frame answer = ask({.kind = Frame::Kind::kPut, .key = key, .value = std::string(value)});
  if (answer.kind == Frame::Kind::kDone) return;
  throw DeviceError({.where = named(key), .given = answer.value, .expected = "room in the store of process 0"});
}

std::optional<std::string> TcpKeyValueStore::get(const std::string& key, std::chrono::milliseconds patience) {
  require_size(key, {});
  Frame answer = ask({.kind = Frame::Kind::kGet, .number = patience.count(), .key = key});
  return answer.kind == Frame::Kind::kDone ? std::optional(std::move(answer.value)) : std::nullopt;
}

}  // namespace portune
