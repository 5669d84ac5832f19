// TCP connections between processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace portatune {

/// A socket handle, open or empty.
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

  /// Sends all bytes; false if the connection has ended.
  bool send(std::span<const std::byte> bytes) const;
  /// Receives all bytes; false if the connection has ended, or if not all bytes have arrived by `end`.
  bool receive(std::span<std::byte> bytes, Clock::time_point end = Clock::time_point::max()) const;

 private:
  int handle_ = -1;
};

/// Listens at all addresses of this machine.
/// port    port to listen on; 0: any free port
/// errors  DeviceError if the port is taken
Socket listen_at(int port);
int port_of(const Socket& listening);
/// Accepts the next connection; returns an empty socket if `listening` has been shut down.
Socket accept_from(const Socket& listening);

/// Connects, with retries, because processes do not start at the same time.
/// errors  DeviceError if no process has accepted within `timeout`
Socket connect_to(const std::string& host, int port, std::chrono::milliseconds timeout);

/// True if both ends of the connection are the same socket. If no process listens at a local port, the system may give
/// that port to the connecting socket, which then connects to itself.
bool is_to_itself(const Socket& connection);

/// The local address of the connection: "10.0.0.7".
std::string own_address(const Socket& connection);
/// True for an address that is valid only on this machine.
bool is_loopback(const std::string& address);

}  // namespace portatune
