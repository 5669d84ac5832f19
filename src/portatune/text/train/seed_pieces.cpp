#include "portatune/text/train/seed_pieces.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr size_t kMaxPieces = 1'000'000;
constexpr size_t kMaxLength = 16;  // characters of a piece
constexpr char32_t kEndOfWord = 0;

using CodePoints = std::u32string;

// All words, each with an end.
CodePoints joined(std::span<const WordCount> words) {
  CodePoints text;
  for (const auto& [word, count] : words) {
    for (size_t at = 0; at < word.size();) text += next_code_point(word, at);
    text += kEndOfWord;
  }
  return text;
}

// The rest of a word from a place on, with its end, as far as it decides about pieces.
std::u32string_view suffix(const CodePoints& text, size_t place) {
  const std::u32string_view rest = std::u32string_view(text).substr(place, kMaxLength + 1);
  return rest.substr(0, rest.find(kEndOfWord) == rest.npos ? rest.size() : rest.find(kEndOfWord) + 1);
}

size_t common_length(std::u32string_view a, std::u32string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

struct Substring {
  uint64_t score;
  std::u32string_view text;
};

// The substrings that occur several times with different characters after them: the inner nodes of the suffix tree.
// A stack has the substrings that the sorted suffixes share, the longest on top.
std::vector<Substring> repeated_substrings(const CodePoints& text) {
  std::vector<uint32_t> suffixes;
  for (uint32_t place = 0; place < text.size(); ++place) {
    if (text[place] != kEndOfWord) suffixes.push_back(place);
  }
  std::ranges::sort(suffixes, {}, [&](uint32_t place) { return suffix(text, place); });
  struct Shared {
    size_t length, first;  // of the suffixes that share it
  };
  std::vector<Substring> found;
  std::vector<Shared> stack;
  for (size_t i = 1; i <= suffixes.size(); ++i) {
    const size_t common =
        i < suffixes.size() ? common_length(suffix(text, suffixes[i - 1]), suffix(text, suffixes[i])) : 0;
    size_t first = i - 1;
    while (!stack.empty() && stack.back().length > common) {
      const Shared shared = stack.back();
      stack.pop_back();
      first = shared.first;
      const std::u32string_view substring = std::u32string_view(text).substr(suffixes[first], shared.length);
      const bool is_piece =
          shared.length > 1 && shared.length <= kMaxLength && substring.find(kEndOfWord) == substring.npos;
      if (is_piece) found.push_back({(i - first) * shared.length, substring});
    }
    if (common > 0 && (stack.empty() || stack.back().length < common)) stack.push_back({common, first});
  }
  return found;
}

std::string to_utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) append_utf8(c, text);
  return text;
}

void to_log_probabilities(std::vector<ScoredPiece>& pieces) {
  double sum = 0;
  for (const ScoredPiece& piece : pieces) sum += piece.score;
  for (ScoredPiece& piece : pieces) piece.score = std::log(piece.score) - std::log(sum);
}

}  // namespace

std::vector<ScoredPiece> seed_pieces(std::span<const WordCount> words) {
  std::map<char32_t, int64_t> counts;
  for (const auto& [word, count] : words) {
    for (size_t at = 0; at < word.size();) counts[next_code_point(word, at)] += count;
  }
  std::vector<std::pair<int64_t, char32_t>> characters;
  for (const auto& [c, count] : counts) characters.emplace_back(count, c);
  std::ranges::sort(characters, std::greater());
  const CodePoints text = joined(words);
  std::vector<Substring> substrings = repeated_substrings(text);
  std::ranges::sort(substrings, [](const Substring& a, const Substring& b) {
    return a.score != b.score ? a.score > b.score : a.text > b.text;
  });
  std::vector<ScoredPiece> pieces;
  for (const auto& [count, c] : characters) pieces.push_back({to_utf8({&c, 1}), static_cast<double>(count)});
  for (const Substring& substring : substrings) {
    if (pieces.size() >= kMaxPieces) break;
    pieces.push_back({to_utf8(substring.text), static_cast<double>(substring.score)});
  }
  to_log_probabilities(pieces);
  return pieces;
}

}  // namespace portatune::text
