#include "portatune/runtime/processes/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>

#include "portatune/error.h"

namespace portatune {
namespace {

using namespace std::chrono_literals;
using Clock = Socket::Clock;

constexpr auto kSocketPause = 100ms;  // pause between two attempts
constexpr auto kOneAttempt = 5s;      // timeout of one attempt at one address
constexpr int kWaitingToBeAccepted = 1024;

void set_option(const Socket& socket, int level, int name, int value) {
  setsockopt(socket.handle(), level, name, &value, sizeof value);
}

// A machine that has disappeared is noticed after half a minute. Frames are small and are sent without delay.
void set_options(const Socket& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

Socket new_socket(int family) { return Socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

// A socket for IPv4 and, if the machine has it, IPv6.
Socket bound_to(int port) {
  Socket socket = new_socket(AF_INET6);
  sockaddr_in6 six{.sin6_family = AF_INET6, .sin6_port = htons(static_cast<uint16_t>(port)), .sin6_addr = in6addr_any};
  if (socket.is_open()) {
    set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (bind(socket.handle(), reinterpret_cast<const sockaddr*>(&six), sizeof six) == 0) return socket;
    if (errno == EADDRINUSE || errno == EACCES) return {};
  }
  socket = new_socket(AF_INET);
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  sockaddr_in four{.sin_family = AF_INET, .sin_port = htons(static_cast<uint16_t>(port)), .sin_addr = {INADDR_ANY}};
  if (bind(socket.handle(), reinterpret_cast<const sockaddr*>(&four), sizeof four) != 0) return {};
  return socket;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The addresses of a host; none if the name is unknown, or not known yet.
Addresses resolve(const std::string& host, int port, std::string& fault) {
  const addrinfo hints{.ai_flags = AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  const int result = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (result != 0) fault = gai_strerror(result);
  return {result == 0 ? found : nullptr, freeaddrinfo};
}

Socket connect_once(const addrinfo& address, std::chrono::milliseconds timeout, std::string& fault) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int error = socket.is_open() ? 0 : errno;
  if (error == 0 && connect(socket.handle(), address.ai_addr, address.ai_addrlen) != 0) error = errno;
  if (error == EINPROGRESS) {
    pollfd wait{.fd = socket.handle(), .events = POLLOUT, .revents = 0};
    error = ETIMEDOUT;
    if (poll(&wait, 1, static_cast<int>(timeout.count())) == 1) {
      socklen_t size = sizeof error;
      getsockopt(socket.handle(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error == 0 && is_to_itself(socket)) error = ECONNREFUSED;
  if (error != 0) {
    fault = std::strerror(error);
    return {};
  }
  fcntl(socket.handle(), F_SETFL, fcntl(socket.handle(), F_GETFL) & ~O_NONBLOCK);
  set_options(socket);
  return socket;
}

// Waits for data or the end of the connection; false if neither has arrived by `end`.
bool wait_for_data(int handle, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd wait{.fd = handle, .events = POLLIN, .revents = 0};
    const int found = poll(&wait, 1, static_cast<int>(std::clamp<std::chrono::milliseconds>(left, 0ms, 24h).count()));
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

// "0.3", "300".
std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 != 0) text += "." + std::to_string(time.count() % 1000 / 100);
  return text;
}

}  // namespace

Socket::~Socket() {
  if (is_open()) close(handle_);
}

void Socket::shut_down() const { ::shutdown(handle_, SHUT_RDWR); }

bool Socket::send(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

bool Socket::receive(std::span<std::byte> bytes, Clock::time_point end) const {
  while (!bytes.empty()) {
    if (end != Clock::time_point::max() && !wait_for_data(handle_, end)) return false;
    const ssize_t count = ::recv(handle_, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

Socket listen_at(int port) {
  Socket socket = bound_to(port);
  if (socket.is_open() && listen(socket.handle(), kWaitingToBeAccepted) == 0) return socket;
  throw DeviceError({.where = "port " + std::to_string(port),
                     .given = std::strerror(errno),
                     .expected = "a free port, at which process 0 waits for the others",
                     .fix = "set another MASTER_PORT in all processes; with torchrun, which uses that port itself, "
                            "process 0 takes the next one"});
}

int port_of(const Socket& listening) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(listening.handle(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Socket accept_from(const Socket& listening) {
  for (;;) {
    Socket socket(accept4(listening.handle(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.is_open()) {
      set_options(socket);
      return socket;
    }
    if (errno == EINVAL) return {};             // the socket has been shut down
    std::this_thread::sleep_for(kSocketPause);  // for example, too many files are open; some will be closed
  }
}

Socket connect_to(const std::string& host, int port, std::chrono::milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  std::string fault;
  do {
    const Addresses addresses = resolve(host, port, fault);
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      Socket socket = connect_once(*address, std::clamp<std::chrono::milliseconds>(left, 1ms, kOneAttempt), fault);
      if (socket.is_open()) return socket;
    }
    std::this_thread::sleep_for(kSocketPause);
  } while (Clock::now() < end);

  throw DeviceError({.where = host + ":" + std::to_string(port),
                     .given = "no answer within " + seconds(timeout) + " s: " + fault,
                     .expected = "process 0, which waits there for the others",
                     .fix = "read the output of process 0; set MASTER_ADDR and MASTER_PORT to its machine and to a "
                            "port that the others can connect to"});
}

bool is_to_itself(const Socket& connection) {
  sockaddr_storage own{}, other{};
  socklen_t own_size = sizeof own, other_size = sizeof other;
  return getsockname(connection.handle(), reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         getpeername(connection.handle(), reinterpret_cast<sockaddr*>(&other), &other_size) == 0 &&
         own_size == other_size && std::memcmp(&own, &other, own_size) == 0;
}

std::string own_address(const Socket& connection) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(connection.handle(), reinterpret_cast<sockaddr*>(&address), &size);
  char text[NI_MAXHOST] = "";
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  const std::string found = text;
  constexpr std::string_view kFourInSix = "::ffff:";  // prefix of IPv4 addresses in IPv6
  return found.starts_with(kFourInSix) ? found.substr(kFourInSix.size()) : found;
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

}  // namespace portatune
