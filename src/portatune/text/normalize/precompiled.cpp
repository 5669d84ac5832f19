#include "portatune/text/normalize/precompiled.h"

#include <algorithm>
#include <cstring>

#include "portatune/error.h"
#include "portatune/text/unicode/grapheme.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr size_t kLongCluster = 6;  // in bytes; clusters of this size or more are looked up one code point at a time

// The parts of a unit of the double array.
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t label_of(uint32_t unit) { return unit & (0x80000000 | 0xFF); }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

[[noreturn]] void refuse(const std::string& given) {
  throw UsageError({.where = "precompiled_charsmap",
                    .given = given,
                    .expected = "the bytes of a trie, the trie, and replacements in UTF-8 that end with a zero byte"});
}

// Assigns replaced code points as `tokenizers` does: each new code point replaces one. Additional new code points are
// inserted. The last one, even of an earlier replacement, also replaces what remains.
void push_replacement(std::string_view part, std::string_view replacement, std::vector<Change>& changes) {
  const auto old_count = static_cast<std::ptrdiff_t>(count_code_points(part));
  const auto new_count = static_cast<std::ptrdiff_t>(count_code_points(replacement));
  for (size_t at = 0; at < replacement.size();) changes.push_back({next_code_point(replacement, at), 1});
  for (auto change = changes.end() - std::max<std::ptrdiff_t>(new_count - old_count, 0); change != changes.end();
       ++change) {
    change->replaced = 0;
  }
  if (old_count > new_count && !changes.empty()) {
    changes.back().replaced += static_cast<int32_t>(old_count - new_count);
  }
}

}  // namespace

Precompiled::Precompiled(std::string_view charsmap, CharsmapRule rule) : rule_(rule) {
  uint32_t trie_bytes = 0;
  if (charsmap.size() < sizeof(trie_bytes)) refuse(std::to_string(charsmap.size()) + " bytes");
  std::memcpy(&trie_bytes, charsmap.data(), sizeof(trie_bytes));
  charsmap.remove_prefix(sizeof(trie_bytes));
  if (trie_bytes == 0 || trie_bytes > charsmap.size() || trie_bytes % sizeof(uint32_t) != 0) {
    refuse("a trie of " + std::to_string(trie_bytes) + " bytes in " + std::to_string(charsmap.size()));
  }
  trie_.resize(trie_bytes / sizeof(uint32_t));
  std::memcpy(trie_.data(), charsmap.data(), trie_bytes);
  replacements_ = charsmap.substr(trie_bytes);
  try {
    require_utf8(replacements_);
  } catch (const DataError& error) {
    refuse("replacements with " + error.report().given);
  }
  for (size_t c = 0; c < plain_.size(); ++c) {
    const char byte = static_cast<char>(c);
    const bool is_in_table = rule_ == CharsmapRule::kTokenizers ? match({&byte, 1}, Prefix::kShortest).has_value()
                                                                : begins_match_of_ascii(byte);
    plain_[c] = byte != '\r' && !is_in_table;
  }
}

std::optional<Precompiled::Match> Precompiled::match(std::string_view text, Prefix prefix) const {
  std::optional<Match> found;
  size_t node = offset_of(trie_[0]);
  for (size_t at = 0; at < text.size(); ++at) {
    const uint32_t label = static_cast<unsigned char>(text[at]);
    node ^= label;
    if (label == 0 || node >= trie_.size() || label_of(trie_[node]) != label) return found;
    const uint32_t unit = trie_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (node >= trie_.size()) return found;
    const size_t begin = value_of(trie_[node]);
    if (begin > replacements_.size()) return found;
    found = {at + 1, std::string_view(replacements_).substr(begin, replacements_.find('\0', begin) - begin)};
    if (prefix == Prefix::kShortest) return found;
  }
  return found;
}

// True if the character is in the table, alone or before another ASCII character.
bool Precompiled::begins_match_of_ascii(char first) const {
  for (int second = 0; second < 128; ++second) {
    const char both[] = {first, static_cast<char>(second)};
    if (match({both, 2}, Prefix::kShortest)) return true;
  }
  return false;
}

// True if the character at text[at] is a cluster by itself and stays unchanged, as nearly all of an English text.
bool Precompiled::is_plain(std::string_view text, size_t at) const {
  const auto is_ascii = [&](size_t i) { return static_cast<unsigned char>(text[i]) < 0x80; };
  return is_ascii(at) && plain_[static_cast<size_t>(text[at])] && (at + 1 == text.size() || is_ascii(at + 1));
}

bool Precompiled::works_by_segment() const {
  return std::all_of(plain_.begin() + ' ', plain_.begin() + '~' + 1, [](bool plain) { return plain; });
}

bool Precompiled::keeps(std::string_view text) const {
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_plain(text, at)) return false;
  }
  return true;
}

void Precompiled::normalize(Normalized& text) const {
  if (keeps(text.text())) return;
  if (rule_ == CharsmapRule::kTokenizers) {
    normalize_by_clusters(text);
  } else {
    normalize_by_longest_match(text);
  }
}

void Precompiled::normalize_by_longest_match(Normalized& text) const {
  const std::string_view all = text.text();
  std::vector<Change> changes;
  changes.reserve(all.size());
  size_t dropped = 0;  // code points before the first that stays
  for (size_t at = 0; at < all.size();) {
    const auto found = match(all.substr(at), Prefix::kLongest);
    const size_t after = found ? at + found->size : at;
    if (!found || (after < all.size() && is_continuation(all[after]))) {
      changes.push_back({next_code_point(all, at), 1});
      continue;
    }
    const std::string_view part = all.substr(at, found->size);
    if (changes.empty() && found->replacement.empty()) dropped += static_cast<size_t>(count_code_points(part));
    push_replacement(part, found->replacement, changes);
    at = after;
  }
  text.transform(changes, dropped);
}

void Precompiled::normalize_by_clusters(Normalized& text) const {
  const std::string_view all = text.text();
  std::vector<Change> changes;
  changes.reserve(all.size());
  bool modified = false;
  const auto replace = [&](std::string_view part) {
    const auto with = match(part, Prefix::kShortest);
    if (with) push_replacement(part, with->replacement, changes);
    modified |= with.has_value();
    return with.has_value();
  };
  for (size_t at = 0; at < all.size();) {
    if (is_plain(all, at)) {
      changes.push_back({static_cast<char32_t>(all[at++]), 1});
      continue;
    }
    const size_t end = end_of_cluster(all, at);
    const std::string_view cluster = all.substr(at, end - at);
    if (cluster.size() < kLongCluster && replace(cluster)) {
      at = end;
      continue;
    }
    while (at < end) {
      const size_t begin = at;
      const char32_t c = next_code_point(all, at);
      if (!replace(all.substr(begin, at - begin))) changes.push_back({c, 1});
    }
  }
  if (modified) text.transform(changes);
}

}  // namespace portatune::text
