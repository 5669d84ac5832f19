// A server of a test's own: what it answers, and with which faults, the test says.
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
  std::string method, target;                  ///< "GET", "/a.csv?x=1"
  std::map<std::string, std::string> headers;  ///< names in lower case

  std::string path() const { return target.substr(0, target.find('?')); }
  /// Of the query, decoded; empty if there is none.
  std::string parameter(const std::string& name) const;
  std::string header(const std::string& name) const;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::optional<size_t> cut_after = {};  ///< the connection ends after so many bytes of the body
  bool hangs = false;                    ///< nothing is answered until end_hangs(), or the server's end
};

/// Listens on 127.0.0.1 until it is destroyed, with a thread for each connection.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// handler  called by one thread at a time
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT" and `path`.
  std::string url(const std::string& path = "") const;
  /// Closes the connections of requests that hang.
  void end_hangs() { ++hangs_ended_; }
  /// All that were asked so far.
  std::vector<HttpRequest> requests() const;

 private:
  void accept_all();
  void serve(int connection);

  Handler handler_;
  int listening_ = -1, port_ = 0;
  mutable std::mutex mutex_;  // of all below
  std::vector<HttpRequest> requests_;
  std::vector<int> connections_;
  std::atomic<bool> ending_ = false;
  std::atomic<int> hangs_ended_ = 0;
  std::mutex handling_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

/// What a server that knows ranges (RFC 9110, section 14) answers for a file.
HttpResponse ranged(const HttpRequest& request, const std::string& bytes, const std::string& etag);

/// A path as it was before the escapes of a URL.
std::string percent_decoded(const std::string& text);

}  // namespace portatune
