// One GET of a range of bytes over HTTP.
#pragma once

#include <map>
#include <string>

#include "portatune/io/remote/curl.h"
#include "portatune/io/remote/retries.h"

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

/// Makes requests. All clients of a process share their connections, which stay open for the next request: many small
/// files may come from one server. May be used by several threads at a time.
class HttpClient {
 public:
  /// needed_for  as curl() has it
  explicit HttpClient(const std::string& needed_for) : curl_(curl(needed_for)) {}

  struct Request {
    std::string url;
    int64_t begin = 0, end = 0;     ///< the range
    bool with_credentials = false;  ///< those that .netrc has for the host
    bool direct = false;            ///< past any proxy
    Clock::time_point deadline;
  };

  /// Redirects are not followed.
  /// errors  TemporaryFault; IoError for TLS certificates that are not trusted and the like; Stopped
  HttpAnswer get(const Request& request) const;

 private:
  const Curl& curl_;
};

}  // namespace portatune::io
