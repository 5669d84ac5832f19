// Files by https://, and by http:// on this machine.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "portatune/io/remote/http_request.h"
#include "portatune/io/remote/remote_file.h"

namespace portatune::io {

/// How to read from one server.
struct HttpOptions {
  /// Bytes of the first request.
  int64_t beginning = 64 * 1024;
  /// Bearer token for the origin (scheme, host and port) of the URL, in place of ~/.netrc; empty: none.
  std::string token = {};
  /// Bytes of a file that a server without range requests may send. Longer files of such a server cannot be read.
  int64_t max_whole = beginning;
  /// Throws an error of its own for an answer without the file, or returns and leaves the error to the transport.
  std::function<void(const HttpAnswer&)> refuse = [](const HttpAnswer&) {};
};

/// Follows redirects. Sends the credentials of ~/.netrc (or $NETRC) for the host of the URL, or the token, to the
/// origin of the URL only. Uses the proxies of libcurl's environment variables.
/// errors  UsageError for http:// to another machine; as Url
std::unique_ptr<Transport> http_transport(const std::string& url, HttpOptions options = {});

/// The content of a small file, also from servers without range requests. Retries as open_remote() does.
/// options  `beginning` is not used
/// errors   as open_remote(); DataError for a file of more than `max_bytes`
std::string read_page(const std::string& url, int64_t max_bytes, HttpOptions options = {});

}  // namespace portatune::io
