#include "portatune/io/hub/environment.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxTokenBytes = 10'000;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_true(std::string value) {
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::toupper(c); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

// A path from a variable, in which no shell may have replaced the "~".
fs::path path_of(const std::string& text) {
  return text.starts_with("~/") ? fs::path(variable("HOME")) / text.substr(2) : fs::path(text);
}

fs::path hub_home() {
  if (const std::string home = variable("HF_HOME"); !home.empty()) return path_of(home);
  const std::string caches = variable("XDG_CACHE_HOME");
  return (caches.empty() ? fs::path(variable("HOME")) / ".cache" : path_of(caches)) / "huggingface";
}

std::string stripped(const std::string& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// A token is a part of a header line, so a line end in it would begin another header.
std::string checked(const std::string& token, const std::string& source) {
  if (std::ranges::all_of(token, [](unsigned char c) { return c > ' ' && c < 127; })) return token;
  throw UsageError({.where = source,
                    .given = "a token with blanks or with characters that are not ASCII",
                    .expected = "a token of the Hugging Face Hub: hf_..."});
}

}  // namespace

fs::path hub_cache() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const std::string cache = variable(name); !cache.empty()) return path_of(cache);
  }
  return hub_home() / "hub";
}

std::string hub_endpoint() {
  std::string url = variable("HF_ENDPOINT");
  while (url.ends_with('/')) url.pop_back();
  return url.empty() ? "https://huggingface.co" : url;
}

std::string offline_variable() {
  for (const char* name : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    if (is_true(variable(name))) return name;
  }
  return "";
}

std::string hub_token() {
  if (is_true(variable("HF_HUB_DISABLE_IMPLICIT_TOKEN"))) return "";
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    if (const std::string token = stripped(variable(name)); !token.empty()) return checked(token, name);
  }
  const std::string path = variable("HF_TOKEN_PATH");
  const fs::path file = path.empty() ? hub_home() / "token" : path_of(path);
  return fs::is_regular_file(file) ? checked(stripped(read_text(file, kMaxTokenBytes)), file.string()) : "";
}

}  // namespace portatune::io
