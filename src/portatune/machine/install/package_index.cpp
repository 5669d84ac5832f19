#include "portatune/machine/install/package_index.h"

#include <string_view>

#include "portatune/error.h"
#include "portatune/io/remote/http_transport.h"
#include "portatune/io/remote/url.h"

namespace portatune {
namespace {

constexpr int64_t kMaxPageBytes = 32 << 20;

std::string page_url(const std::string& index, const pjrt::Pin& pin) {
  if (!index.starts_with("https://") && !index.starts_with("http://")) {
    throw UsageError({.where = "index_url",
                      .given = index,
                      .expected = "the https:// URL of a package index, such as " + std::string(kPyPi)});
  }
  return index + (index.ends_with('/') ? "" : "/") + pin.package + "/";
}

// Replaces HTML escapes. An ampersand is the only escaped character of URLs.
std::string unescaped(std::string text) {
  constexpr std::string_view kAmpersand = "&amp;";
  for (size_t at = 0; (at = text.find(kAmpersand, at)) != std::string::npos; ++at)
    text.replace(at, kAmpersand.size(), "&");
  return text;
}

}  // namespace

std::string url_of(const std::string& index, const pjrt::Pin& pin) {
  const std::string page = page_url(index, pin);
  const std::string text = io::read_page(page, kMaxPageBytes);
  // A link has the form <a href="URL#sha256=DIGITS">NAME</a>.
  const size_t end = text.find("#sha256=" + pin.sha256);
  const size_t begin = end == std::string::npos ? end : text.find_last_of("\"'", end);
  if (begin != std::string::npos) return io::linked_url(page, unescaped(text.substr(begin + 1, end - begin - 1)));
  throw NotFoundError(
      {.where = page,
       .given = "no file with SHA-256 " + pin.sha256,
       .expected = "the file of " + to_string(pin) + ", the version that this version of Portatune is tested with",
       .fix = "use an index with all of PyPI: --index-url " + std::string(kPyPi)});
}

}  // namespace portatune
