#include "io/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "portatune/base/text/utf8.h"

namespace portatune {
namespace {

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// The head of the next request; nothing at the end of the connection.
std::optional<std::string> receive_head(int connection, std::string& unread) {
  for (;;) {
    const size_t end = unread.find("\r\n\r\n");
    if (end != std::string::npos) {
      std::string head = unread.substr(0, end + 2);
      unread.erase(0, end + 4);
      return head;
    }
    char block[4096];
    const ssize_t count = recv(connection, block, sizeof block, 0);
    if (count <= 0) return std::nullopt;
    unread.append(block, static_cast<size_t>(count));
  }
}

HttpRequest parsed(const std::string& head) {
  HttpRequest request;
  size_t begin = head.find("\r\n") + 2;
  const std::string line = head.substr(0, begin - 2);
  request.method = line.substr(0, line.find(' '));
  request.target = line.substr(line.find(' ') + 1);
  request.target.erase(request.target.rfind(' '));
  while (begin < head.size()) {
    const size_t end = head.find("\r\n", begin);
    const std::string header = head.substr(begin, end - begin);
    const size_t colon = header.find(':');
    request.headers[lower_case(header.substr(0, colon))] = header.substr(header.find_first_not_of(" ", colon + 1));
    begin = end + 2;
  }
  return request;
}

bool has_header(const HttpResponse& response, const std::string& name) {
  return std::ranges::any_of(response.headers, [&](const auto& header) { return lower_case(header.first) == name; });
}

std::string head_of(const HttpResponse& response) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " Status\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  if (!has_header(response, "content-length")) {
    head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  return head + "\r\n";
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string HttpRequest::parameter(const std::string& name) const {
  std::string query = target.find('?') == std::string::npos ? "" : "&" + target.substr(target.find('?') + 1);
  const size_t at = query.find("&" + name + "=");
  if (at == std::string::npos) return "";
  query.erase(0, at + name.size() + 2);
  return percent_decoded(query.substr(0, query.find('&')));
}

std::string percent_decoded(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listening_, 64) != 0 ||
      getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  ending_ = true;
  shutdown(listening_, SHUT_RDWR);
  accepting_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int connection : connections_) shutdown(connection, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int connection : connections_) close(connection);
  close(listening_);
}

std::string HttpServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::accept_all() {
  for (;;) {
    const int connection = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    const std::lock_guard lock(mutex_);
    connections_.push_back(connection);
    threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void HttpServer::serve(int connection) {
  std::string unread;
  while (const std::optional<std::string> head = receive_head(connection, unread)) {
    const HttpRequest request = parsed(*head);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const HttpResponse response = [&] {
      const std::lock_guard lock(handling_);
      return handler_(request);
    }();
    if (response.hangs) {
      const int before = hangs_ended_;
      while (!ending_ && hangs_ended_ == before) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      break;
    }
    // Sends the answer in one piece: a second piece would wait until the client, which waits for more, acknowledges the
    // first.
    std::string answer = head_of(response);
    if (request.method != "HEAD") answer += response.body.substr(0, response.cut_after.value_or(response.body.size()));
    if (!send_all(connection, answer) || response.cut_after) break;
  }
  shutdown(connection, SHUT_RDWR);
}

HttpResponse ranged(const HttpRequest& request, const std::string& bytes, const std::string& etag) {
  HttpResponse response{.headers = {{"ETag", etag}, {"Accept-Ranges", "bytes"}}};
  const std::string range = request.header("range");
  if (range.empty()) {
    response.body = bytes;
    return response;
  }
  const size_t begin = std::stoul(range.substr(range.find('=') + 1));
  const std::string last = range.substr(range.find('-') + 1);
  const std::string size = std::to_string(bytes.size());
  if (begin >= bytes.size()) {
    response.status = 416;
    response.headers.emplace_back("Content-Range", "bytes */" + size);
    return response;
  }
  const size_t end = last.empty() ? bytes.size() : std::min(bytes.size(), std::stoul(last) + 1);
  response.status = 206;
  response.headers.emplace_back("Content-Range",
                                "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" + size);
  response.body = bytes.substr(begin, end - begin);
  return response;
}

}  // namespace portatune
