// TCP connections between processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace portatune {

/// An open socket, or none.
class Socket {
 public:
  using Clock = std::chrono::steady_clock;

  Socket() = default;
  explicit Socket(int handle) : handle_(handle) {}
  Socket(Socket&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Socket();

  bool is_open() const { return handle_ >= 0; }
  int handle() const { return handle_; }
  /// Ends the connection for both sides, and wakes the threads that wait for it.
  void shut_down() const;

  /// All of the bytes; false if the connection is over.
  bool send(std::span<const std::byte> bytes) const;
  /// All of the bytes; false if the connection is over, or not all have come by `end`.
  bool receive(std::span<std::byte> bytes, Clock::time_point end = Clock::time_point::max()) const;

 private:
  int handle_ = -1;
};

/// Listens at all addresses of this machine.
/// port    0: any that is free
/// errors  DeviceError if the port is taken
Socket listen_at(int port);
int port_of(const Socket& listening);
/// The next connection; none if `listening` has been shut down.
Socket accept_from(const Socket& listening);

/// Connects, trying until somebody answers: processes do not begin at the same time.
/// errors  DeviceError if nobody has by the end of `timeout`
Socket connect_to(const std::string& host, int port, std::chrono::milliseconds timeout);

/// Whether both ends are one: where nobody listens at a port of this machine, the system may give that very port to the
/// one that tries to connect, and it finds itself.
bool is_to_itself(const Socket& connection);

/// This machine's address, by which the connection goes: "10.0.0.7".
std::string own_address(const Socket& connection);
/// Whether it is one that only this machine knows.
bool is_loopback(const std::string& address);

}  // namespace portatune
