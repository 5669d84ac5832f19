// Files by https://, and by http:// on this machine.
#pragma once

#include <memory>

#include "portatune/io/remote/remote_file.h"

namespace portatune::io {

/// Follows redirects. Sends the credentials of ~/.netrc (or $NETRC) for the host of the URL to that host only. Uses the
/// proxies of libcurl's environment variables.
/// errors  UsageError for http:// to another machine; as Url
std::unique_ptr<Transport> http_transport(const std::string& url);

/// The content of a small file, also from servers without range requests. Retries as open_remote() does.
/// errors  as open_remote(); DataError for a file of more than `max_bytes`
std::string read_page(const std::string& url, int64_t max_bytes);

}  // namespace portatune::io
