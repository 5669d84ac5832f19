#include "portatune/io/remote/url.h"

#include <arpa/inet.h>

#include <memory>

#include "portatune/error.h"
#include "portatune/io/remote/curl.h"

namespace portatune::io {
namespace {

class Parsed {
 public:
  explicit Parsed(const std::string& text) : curl_(curl(text)), url_(curl_.url(), curl_.url_cleanup) {
    if (curl_.url_set(url_.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
      throw UsageError({.where = text,
                        .given = "an invalid URL",
                        .expected = "https://host/path",
                        .fix = "write a blank as %20, a percent sign as %25"});
    }
  }

  // Accepts blanks and non-ASCII letters, as libcurl does in redirects.
  void follow(const std::string& link) {
    constexpr unsigned kFlags = CURLU_URLENCODE | CURLU_ALLOW_SPACE;
    if (curl_.url_set(url_.get(), CURLUPART_URL, link.c_str(), kFlags) == CURLUE_OK) return;
    throw UsageError({.where = text(), .given = "a link to '" + link + "'", .expected = "a link to a valid URL"});
  }

  std::string text() const { return part(CURLUPART_URL, 0); }
  std::string part(CURLUPart which, unsigned flags = CURLU_DEFAULT_PORT) const {
    char* found = nullptr;
    if (curl_.url_get(url_.get(), which, &found, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> owned(found, curl_.free);
    return found;
  }

 private:
  const Curl& curl_;
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url_;
};

}  // namespace

Url::Url(const std::string& text) {
  const Parsed parsed(text);
  if (!parsed.part(CURLUPART_USER).empty() || !parsed.part(CURLUPART_PASSWORD).empty()) {
    throw UsageError(
        {.where = text,
         .given = "a user name or a password in a URL, which ends up in logs",
         .expected = "a URL without credentials",
         .fix = "write them into ~/.netrc: machine " + parsed.part(CURLUPART_HOST) + " login NAME password PASSWORD"});
  }
  scheme = parsed.part(CURLUPART_SCHEME);
  host = parsed.part(CURLUPART_HOST);
  port = parsed.part(CURLUPART_PORT);
}

std::string linked_url(const std::string& page, const std::string& link) {
  Parsed url(page);
  url.follow(link);
  return url.text();
}

bool Url::is_loopback() const {
  in_addr address{};
  const bool is_address = inet_pton(AF_INET, host.c_str(), &address) == 1;  // a host name may begin with 127., too
  return host == "localhost" || host == "[::1]" || (is_address && ntohl(address.s_addr) >> 24 == 127);
}

}  // namespace portatune::io
