// Files by https://, and by http:// on this machine.
#pragma once

#include <memory>

#include "portatune/io/remote/remote_file.h"

namespace portatune::io {

/// Redirects are followed. Credentials are those that ~/.netrc (or $NETRC) has for the host of the URL, and are said to
/// no other. Proxies are those of libcurl's environment variables.
/// errors  UsageError for http:// to another machine; as Url
std::unique_ptr<Transport> http_transport(const std::string& url);

/// The whole of a small file, of servers too that know no ranges; tried again as open_remote() does.
/// errors  as open_remote(); DataError for one of more than `most_bytes`
std::string read_page(const std::string& url, int64_t most_bytes);

}  // namespace portatune::io
