// A single HTTP GET of a range of bytes.
#pragma once

#include <map>
#include <string>

#include "portatune/io/remote/curl.h"
#include "portatune/io/remote/retries.h"

namespace portatune::io {

/// The answer of an HTTP server.
struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string> headers;  ///< values by lower-case name
  std::string body;                            ///< body of a 2xx answer
  bool is_whole = true;                        ///< false if the body exceeded the range and was not read
  Seconds retry_after{0};
  std::string redirect;  ///< target of a 3xx answer, as an absolute URL

  /// The value of a header; empty if the answer lacks it.
  std::string header(const std::string& name) const;
};

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
