// Parts of https:// and http:// URLs.
#pragma once

#include <string>

namespace portatune::io {

struct Url {
  std::string scheme, host, port;

  /// errors  UsageError for what is no URL, or has a user name or a password
  explicit Url(const std::string& text);

  /// Whether it names this machine itself, by a name or an address that can mean nothing else.
  bool is_loopback() const;
  /// Whether all three are equal: what may be said to the one may be said to the other.
  bool operator==(const Url&) const = default;
};

/// The URL that a link on a page leads to.
/// page, link  the page's own URL, and what stands in href: a whole URL, or one that begins where the page is
/// errors      UsageError if they make no URL
std::string linked_url(const std::string& page, const std::string& link);

}  // namespace portatune::io
