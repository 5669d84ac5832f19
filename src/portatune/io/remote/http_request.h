// A single HTTP GET of a range of bytes.
#pragma once

#include <string>

#include "portatune/io/remote/curl.h"
#include "portatune/io/remote/http_answer.h"
#include "portatune/io/remote/retries.h"

namespace portatune::io {

/// Makes requests. All clients of a process share their connections, which stay open for the next request, because many
/// small files may come from one server. Several threads may use it at a time.
class HttpClient {
 public:
  /// needed_for  see curl()
  explicit HttpClient(const std::string& needed_for) : curl_(curl(needed_for)) {}

  struct Request {
    std::string url;
    int64_t begin = 0, end = 0;     ///< byte range
    bool with_credentials = false;  ///< whether to send the credentials of .netrc for the host
    std::string token;              ///< bearer token to send in place of them; empty: none
    bool direct = false;            ///< whether to bypass proxies
    Clock::time_point deadline;
  };

  /// Makes one request. Does not follow redirects.
  /// errors  TemporaryFault; IoError for untrusted TLS certificates and similar; Stopped
  HttpAnswer get(const Request& request) const;

 private:
  const Curl& curl_;
};

}  // namespace portatune::io
