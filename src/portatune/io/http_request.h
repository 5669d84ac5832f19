// One GET of a range of bytes over HTTP.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "portatune/io/curl.h"
#include "portatune/io/retries.h"

namespace portatune::io {

/// What a server has answered.
struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string> headers;  ///< by their names in lower case
  std::string body;                            ///< of a 2xx
  bool is_whole = true;                        ///< false: there was more than was asked for, and it was not read
  Seconds retry_after{0};
  std::string redirect;  ///< where a 3xx leads to, as a whole URL

  std::string header(const std::string& name) const;
};

/// Connections, which are kept for the next request. May be used by several threads at a time.
class HttpClient {
 public:
  /// needed_for  as curl() has it
  explicit HttpClient(const std::string& needed_for) : curl_(curl(needed_for)) {}
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  struct Request {
    std::string url;
    int64_t begin = 0, end = 0;     ///< the range
    bool with_credentials = false;  ///< those that .netrc has for the host
    bool direct = false;            ///< past any proxy
    Clock::time_point deadline;
  };

  /// Redirects are not followed.
  /// errors  TemporaryFault; IoError for TLS certificates that are not trusted and the like; Stopped
  HttpAnswer get(const Request& request);

 private:
  CURL* take();
  void give_back(CURL* handle);

  const Curl& curl_;
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

}  // namespace portatune::io
