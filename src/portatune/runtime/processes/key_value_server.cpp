#include "portatune/runtime/processes/key_value_server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "portatune/runtime/processes/frame.h"
#include "portatune/runtime/processes/session.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;
using Kind = Frame::Kind;

constexpr size_t kMaxBytes = 1u << 30;  // maximum for all keys and values together
constexpr auto kIntroductionTimeout = 10s;
constexpr std::chrono::milliseconds kMaxWait = 24h;

// A process has a few connections at a time.
size_t max_connections(int64_t processes) { return 64 + 16 * static_cast<size_t>(processes); }

struct Connection {
  Socket socket;
  std::thread thread;
  std::atomic<bool> is_over = false;
};

}  // namespace

struct KeyValueServer::Impl {
  Impl(int64_t processes, int port) : size(processes), listening(listen_at(port)) {
    acceptor = std::thread([this] { accept_all(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      is_ending = true;
      for (const Connection& connection : connections) connection.socket.shut_down();
    }
    changed.notify_all();
    listening.shut_down();
    acceptor.join();
    for (Connection& connection : connections) connection.thread.join();
  }

  void accept_all() {
    for (;;) {
      Socket socket = accept_from(listening);
      if (!socket.is_open()) return;
      const std::lock_guard lock(mutex);
      connections.remove_if([](Connection& connection) {
        if (connection.is_over) connection.thread.join();
        return connection.is_over.load();
      });
      if (is_ending || connections.size() >= max_connections(size)) continue;  // closes the socket
      try {
        serve_on_thread(std::move(socket));
      } catch (const std::exception&) {  // out of threads or memory: only this connection is closed
      }
    }
  }

  // The caller holds the lock.
  void serve_on_thread(Socket socket) {
    std::list<Connection> made(1);
    Connection& connection = made.front();
    connection.socket = std::move(socket);
    connection.thread = std::thread([this, &connection] {
      serve(connection.socket);
      connection.socket.shut_down();
      connection.is_over = true;
    });
    connections.splice(connections.end(), made);
  }

  void serve(const Socket& socket) try {
    std::optional<Frame> frame = receive_frame(socket, Socket::Clock::now() + kIntroductionTimeout);
    if (frame && frame->kind == Kind::kJoin) return serve_session(socket, *frame);
    while (frame && send(socket, answer(*frame))) frame = receive_frame(socket);
  } catch (const std::bad_alloc&) {  // only this connection ends
  }

  Frame answer(const Frame& frame) {
    if (frame.kind == Kind::kPut) return put(frame);
    if (frame.kind == Kind::kGet) return get(frame);
    return {.kind = Kind::kRefused, .value = "unknown request"};
  }

  Frame put(const Frame& frame) {
    if (frame.key.starts_with(kServerKeys)) return {.kind = Kind::kRefused, .value = "a key reserved for the server"};
    const std::lock_guard lock(mutex);
    const auto old = values.find(frame.key);
    const size_t freed = old == values.end() ? 0 : old->first.size() + old->second.size();
    const size_t after = bytes - freed + frame.key.size() + frame.value.size();
    if (after > kMaxBytes) return {.kind = Kind::kRefused, .value = "no room: the store holds at most 1 GiB"};
    bytes = after;
    values[frame.key] = frame.value;
    changed.notify_all();
    return {.kind = Kind::kDone};
  }

  Frame get(const Frame& frame) {
    const std::chrono::milliseconds timeout(std::clamp<int64_t>(frame.number, 0, kMaxWait.count()));
    std::unique_lock lock(mutex);
    changed.wait_for(lock, timeout, [&] { return is_ending || values.contains(frame.key); });
    const auto found = values.find(frame.key);
    if (found == values.end()) return {.kind = Kind::kNothing};
    return {.kind = Kind::kDone, .value = found->second};
  }

  // The session of a process; its destructor removes it from the list.
  struct Session {
    Impl& impl;
    const int64_t rank;
    ~Session() {
      const std::lock_guard lock(impl.mutex);
      impl.sessions.erase(rank);
    }
  };

  // Serves a process from its joining to its end.
  void serve_session(const Socket& socket, const Frame& join) {
    const int64_t rank = join.number;
    if (!enter(socket, join)) return;
    const Session session{*this, rank};
    std::optional<Frame> frame = receive_frame(socket);
    if (frame && frame->kind == Kind::kAbort) {
      end_all(rank, static_cast<int>(frame->number), frame->value);
    } else if (frame && frame->kind == Kind::kLeave) {
      leave(rank);
    } else {
      end_all(rank, kLostProcess, "it was killed, or its machine or network is gone");
    }
  }

  // A process that leaves waits until all have left: data of the last exchange may be on its way, and another process
  // may still fail.
  void leave(int64_t rank) {
    std::unique_lock lock(mutex);
    if (++left == size && !end) notify_sessions({.kind = Kind::kDone}, rank);
    changed.notify_all();
    changed.wait(lock, [&] { return left == size || end || is_ending; });
  }

  // Adds a process; returns false if it is refused. After the end of a run, processes of the next run get no answer:
  // they retry until the next process 0 listens at this port.
  bool enter(const Socket& socket, const Frame& join) {
    const std::lock_guard lock(mutex);
    const int64_t rank = join.number;
    const auto refuse = [&](const std::string& why) {
      if (!end && !is_ending) send(socket, {.kind = Kind::kRefused, .value = why});
      return false;
    };
    if (join.value != std::to_string(size)) {
      return refuse("one of " + join.value + " processes, while process 0 is one of " + std::to_string(size));
    }
    if (rank < 0 || rank >= size) return refuse("a rank outside the group");
    if (joined.contains(rank)) return refuse("the rank of a process that has already joined");
    if (!send(socket, {.kind = Kind::kDone})) return false;  // it has disconnected, and may retry
    if (end) send(socket, *end);
    joined.insert(rank);
    values[joined_key(rank)] = "";
    note_address(own_address(socket));
    sessions[rank] = &socket;
    changed.notify_all();
    return true;
  }

  // The caller holds the lock.
  void note_address(const std::string& address) {
    if (!is_loopback(address)) values.try_emplace(kMachineKey, address);
    if (std::ssize(joined) == size) values.try_emplace(kMachineKey, "");
  }

  void end_all(int64_t rank, int exit_code, const std::string& why) {
    const std::lock_guard lock(mutex);
    if (end || is_ending) return;  // only the first failure counts; later ones follow from it
    end = {.kind = Kind::kEnd, .number = exit_code, .key = std::to_string(rank), .value = why};
    changed.notify_all();
    notify_sessions(*end, rank);
  }

  // Sends a frame to all sessions; the caller holds the lock. Process `by`, which has caused it, comes after the
  // others, because it waits for this frame. Process 0 is the last: it ends when it gets it, and this server with it.
  void notify_sessions(const Frame& frame, int64_t by) {
    const auto notify = [&](int64_t rank) {
      if (const auto found = sessions.find(rank); found != sessions.end()) send(*found->second, frame);
    };
    for (int64_t rank = 1; rank < size; ++rank) {
      if (rank != by) notify(rank);
    }
    if (by != 0) notify(by);
    notify(0);
  }

  const int64_t size;
  const Socket listening;
  std::thread acceptor;

  std::mutex mutex;  // guards all members below
  std::condition_variable changed;
  std::list<Connection> connections;
  std::map<std::string, std::string> values;
  size_t bytes = 0;
  std::map<int64_t, const Socket*> sessions;
  std::set<int64_t> joined;
  int64_t left = 0;
  std::optional<Frame> end;
  bool is_ending = false;
};

KeyValueServer::KeyValueServer(int64_t processes, int port) : impl_(std::make_unique<Impl>(processes, port)) {}
KeyValueServer::~KeyValueServer() = default;

int KeyValueServer::port() const { return port_of(impl_->listening); }

bool KeyValueServer::wait_until_joined(std::chrono::milliseconds timeout) {
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_for(lock, timeout, [&] { return std::ssize(impl_->joined) == impl_->size; });
}

}  // namespace portatune
