// The answer of an HTTP server.
#pragma once

#include <map>
#include <string>

#include "portatune/io/remote/retries.h"

namespace portatune::io {

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

}  // namespace portatune::io
