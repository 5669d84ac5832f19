// Parts of https:// and http:// URLs.
#pragma once

#include <string>

namespace portatune::io {

struct Url {
  std::string scheme, host, port;

  /// errors  UsageError for an invalid URL and for a URL with a user name or a password
  explicit Url(const std::string& text);

  /// Returns whether the URL names this machine, by a name or an address with no other meaning.
  bool is_loopback() const;
  /// Returns whether scheme, host and port are equal, so that both URLs may receive the same credentials.
  bool operator==(const Url&) const = default;
};

/// The URL of a link on a page.
/// page, link  the page's URL, and the value of href: an absolute URL or one relative to the page
/// errors      UsageError if the result is not a valid URL
std::string linked_url(const std::string& page, const std::string& link);

}  // namespace portatune::io
