#include "portatune/io/hub/hub_name.h"

#include <algorithm>

namespace portatune::io {
namespace {

// Returns whether words and slashes alternate, with at most `max` words.
bool is_path(std::string_view text, int max) {
  for (; max > 0; --max) {
    const size_t slash = text.find('/');
    if (!is_word(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace

bool is_word(std::string_view text) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const bool begins = !text.empty() && kFirst.find(text.front()) != std::string_view::npos;
  const auto fits = [&](char c) { return kFirst.find(c) != std::string_view::npos || c == '-' || c == '.'; };
  return begins && std::ranges::all_of(text, fits);
}

bool is_commit(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return text.size() == 40 && text.find_first_not_of(kDigits) == std::string_view::npos;
}

std::optional<HubName> HubName::parse(const std::string& text, HubKind kind) {
  constexpr int kMaxNameParts = 2, kMaxRevisionParts = 8;
  const size_t at = text.find('@');
  HubName name{.name = text.substr(0, at), .kind = kind};
  if (at != std::string::npos) name.revision = text.substr(at + 1);
  if (!is_path(name.name, kMaxNameParts) || !is_path(name.revision, kMaxRevisionParts)) return std::nullopt;
  return name;
}

std::string to_string(const HubName& name) {
  return name.revision == "main" ? name.name : name.name + "@" + name.revision;
}

}  // namespace portatune::io
