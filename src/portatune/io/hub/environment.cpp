#include "portatune/io/hub/environment.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "portatune/base/environment.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxTokenBytes = 10'000;

bool is_true(const char* variable) {
  std::string value = environment_variable(variable).value_or("");
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::toupper(c); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

fs::path home() { return environment_variable("HOME").value_or(""); }

// A path from a variable, in which no shell may have replaced the "~".
fs::path path_of(const std::string& text) { return text.starts_with("~/") ? home() / text.substr(2) : fs::path(text); }

fs::path hub_home() {
  if (const auto folder = environment_variable("HF_HOME")) return path_of(*folder);
  const auto caches = environment_variable("XDG_CACHE_HOME");
  return (caches ? path_of(*caches) : home() / ".cache") / "huggingface";
}

// A token is a part of a header line, so a line end in it would begin another header.
std::string checked(std::string_view token, const std::string& source) {
  if (std::ranges::all_of(token, [](unsigned char c) { return c > ' ' && c < 127; })) return std::string(token);
  throw UsageError({.where = source,
                    .given = "a token with blanks or with characters that are not ASCII",
                    .expected = "a token of the Hugging Face Hub: hf_..."});
}

}  // namespace

fs::path hub_cache() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const auto cache = environment_variable(name)) return path_of(*cache);
  }
  return hub_home() / "hub";
}

std::string hub_endpoint() {
  std::string url = environment_variable("HF_ENDPOINT").value_or("");
  while (url.ends_with('/')) url.pop_back();
  return url.empty() ? "https://huggingface.co" : url;
}

std::string offline_variable() {
  for (const char* name : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    if (is_true(name)) return name;
  }
  return "";
}

std::string hub_token() {
  if (is_true("HF_HUB_DISABLE_IMPLICIT_TOKEN")) return "";
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    const std::string token = environment_variable(name).value_or("");
    if (!trimmed(token).empty()) return checked(trimmed(token), name);
  }
  const auto path = environment_variable("HF_TOKEN_PATH");
  const fs::path file = path ? path_of(*path) : hub_home() / "token";
  return fs::is_regular_file(file) ? checked(trimmed(read_text(file, kMaxTokenBytes)), file.string()) : "";
}

}  // namespace portatune::io
