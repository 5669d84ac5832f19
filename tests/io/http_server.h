// A local test server. The test determines its answers and faults.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace portatune {

struct HttpRequest {
  std::string method, target;                  ///< for example "GET" and "/a.csv?x=1"
  std::map<std::string, std::string> headers;  ///< values by lower-case name

  std::string path() const { return target.substr(0, target.find('?')); }
  /// A decoded parameter of the query; empty if it is missing.
  std::string parameter(const std::string& name) const;
  std::string header(const std::string& name) const;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::optional<size_t> cut_after = {};  ///< number of body bytes after which the connection ends
  bool hangs = false;                    ///< whether to send no answer until end_hangs() or the end of the server
};

/// Listens on 127.0.0.1 until it is destroyed, with one thread per connection.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// handler  called by one thread at a time
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  /// The URL "http://127.0.0.1:PORT", followed by `path`.
  std::string url(const std::string& path = "") const;
  /// Closes the connections of hanging requests.
  void end_hangs() { ++hangs_ended_; }
  /// All requests so far.
  std::vector<HttpRequest> requests() const;

 private:
  void accept_all();
  void serve(int connection);

  Handler handler_;
  int listening_ = -1, port_ = 0;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<HttpRequest> requests_;
  std::vector<int> connections_;
  std::atomic<bool> ending_ = false;
  std::atomic<int> hangs_ended_ = 0;
  std::mutex handling_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

/// The answer for a file by a server that supports ranges (RFC 9110, section 14).
HttpResponse ranged(const HttpRequest& request, const std::string& bytes, const std::string& etag);

/// A path with its URL escapes decoded.
std::string percent_decoded(const std::string& text);

}  // namespace portatune
