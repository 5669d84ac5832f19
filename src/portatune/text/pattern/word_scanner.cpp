#include "portatune/text/pattern/word_scanner.h"

namespace portatune::text {

std::optional<WordRules> known_word_rules(std::string_view regex) {
  if (regex == R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)") return WordRules::kGpt2;
  constexpr std::string_view kBegin = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
  constexpr std::string_view kEnd = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  if (!regex.starts_with(kBegin)) return std::nullopt;
  regex.remove_prefix(kBegin.size());
  if (regex == kEnd) return WordRules::kQwen2;
  constexpr std::string_view kUpToThree = "{1,3}";
  return regex.starts_with(kUpToThree) && regex.substr(kUpToThree.size()) == kEnd ? std::optional(WordRules::kLlama3)
                                                                                  : std::nullopt;
}

namespace word_scanner {

constexpr std::array<Kind, 128> ascii_kinds() {
  std::array<Kind, 128> kinds{};
  for (size_t c = 0; c < kinds.size(); ++c) {
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z', number = c >= '0' && c <= '9';
    const bool space = (c >= '\t' && c <= '\r') || c == ' ';
    kinds[c] = letter ? Kind::kLetter : number ? Kind::kNumber : space ? Kind::kSpace : Kind::kOther;
  }
  return kinds;
}
const std::array<Kind, 128> kAsciiKinds = ascii_kinds();

size_t end_of_contraction(std::string_view text, size_t at, bool ignore_case) {
  const auto letter = [&](size_t i) -> char {
    if (i >= text.size()) return 0;
    const char c = text[i];
    return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  };
  const char first = letter(at + 1), second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  if ((first == 'r' || first == 'v') && second == 'e') return at + 3;
  if (first == 'l' && second == 'l') return at + 3;
  constexpr std::string_view kLongS = "\u017f";  // lower case of it is an s
  if (ignore_case && text.substr(at + 1).starts_with(kLongS)) return at + 1 + kLongS.size();
  return at;
}

size_t end_of_space(std::string_view text, size_t at) {
  size_t last = at;  // beginning of the last code point
  size_t end = at;
  for (size_t next = at; next < text.size();) {
    const size_t begin = next;
    if (next_kind(text, next) != Kind::kSpace) break;
    last = begin;
    end = next;
  }
  return end == text.size() || last == at ? end : last;
}

size_t end_of_lines(std::string_view text, size_t at) {
  size_t end = at;
  for (size_t next = at; next < text.size();) {
    const size_t begin = next;
    if (next_kind(text, next) != Kind::kSpace) break;
    if (is_line_end(text[begin])) end = next;
  }
  return end;
}

}  // namespace word_scanner
}  // namespace portatune::text
