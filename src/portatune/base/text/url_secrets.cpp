#include "portatune/base/text/url_secrets.h"

#include <algorithm>

#include "portatune/base/text/utf8.h"

namespace portatune {
namespace {

// Substrings of the query names that clouds and others use to sign URLs.
constexpr std::string_view kSecretNames[] = {"sig",  "token",  "key", "secret", "credential", "password",
                                             "auth", "policy", "pwd", "jwt",    "hmac"};
constexpr std::string_view kEndOfUrl = " \t\n<>", kQuotes = "'\"", kAfterQuote = " \t\n<>,;:.)]}";

// The length of the URL at the start of a text. A URL may contain quotes, but not one at the end of a word.
size_t length_of_url(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (kEndOfUrl.find(text[i]) != std::string_view::npos) return i;
    const bool is_quote = kQuotes.find(text[i]) != std::string_view::npos;
    if (is_quote && (i + 1 == text.size() || kAfterQuote.find(text[i + 1]) != std::string_view::npos)) return i;
  }
  return text.size();
}

bool is_secret(std::string_view name) {
  const std::string lower = lower_case(name);
  return std::ranges::any_of(kSecretNames,
                             [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

std::string masked_query(std::string_view query) {
  std::string text;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    const size_t equals = pair.find('=');
    const bool masked = equals != std::string_view::npos && is_secret(pair.substr(0, equals));
    text += masked ? std::string(pair.substr(0, equals + 1)) + "..." : std::string(pair);
    query.remove_prefix(pair.size());
    if (!query.empty()) text += '&';
    query.remove_prefix(std::min<size_t>(1, query.size()));
  }
  return text;
}

// The part of a URL after "://", without secrets.
std::string masked_url(std::string_view url) {
  const size_t path = std::min(url.find_first_of("/?#"), url.size());
  const size_t user = url.substr(0, path).rfind('@');
  std::string text;
  // Arrow and Google write access without credentials as "anonymous@". This is no secret.
  if (user != std::string_view::npos && !url.starts_with("anonymous@")) {
    text = "...";
    url.remove_prefix(user);
  }
  const size_t query = url.find_first_of("?#");  // a fragment may contain pairs, too
  text += url.substr(0, query);
  if (query == std::string_view::npos) return text;
  return text + url[query] + masked_query(url.substr(query + 1));
}

}  // namespace

std::string without_secrets(std::string_view text) {
  constexpr std::string_view kBegin = "://";
  std::string shown;
  for (size_t begin; (begin = text.find(kBegin)) != std::string_view::npos;) {
    begin += kBegin.size();
    shown += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::string_view url = text.substr(0, length_of_url(text));
    shown += masked_url(url);
    text.remove_prefix(url.size());
  }
  return shown.append(text);
}

}  // namespace portatune
