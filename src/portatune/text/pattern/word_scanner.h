// The splitting rules of well-known byte-level models as a scanner over code points. It gives the matches of their
// regular expressions without an engine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "portatune/text/pattern/word_begins.h"
#include "portatune/text/unicode/byte_block.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {

enum class WordRules {
  /// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  kGpt2,
  /// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
  /// ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  kLlama3,
  /// As kLlama3, with \p{N} in place of \p{N}{1,3}.
  kQwen2
};

/// The rules of a regular expression that is spelled as in the files of these models.
std::optional<WordRules> known_word_rules(std::string_view regex);

namespace word_scanner {

enum class Kind : uint8_t { kLetter, kNumber, kSpace, kOther };

inline Kind kind_of_properties(uint32_t properties) {
  return (properties & kLetter) != 0   ? Kind::kLetter
         : (properties & kNumber) != 0 ? Kind::kNumber
         : (properties & kSpace) != 0  ? Kind::kSpace
                                       : Kind::kOther;
}

/// Kinds of the ASCII characters.
extern const std::array<Kind, 128> kAsciiKinds;

/// The kind of the code point at text[at]. Moves `at` to its end.
inline Kind next_kind(std::string_view text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) {
    ++at;
    return kAsciiKinds[byte];
  }
  return kind_of_properties(UnicodeTables::get().properties(next_code_point(text, at)));
}

/// The end of the ASCII letters at `at`, or of some of them.
inline size_t skip_ascii_letters(std::string_view text, size_t at) {
  while (at + sizeof(ByteBlock) <= text.size()) {
    const size_t count = leading_count(in_range(load_block(text.data() + at) | 0x20, 'a', 26));
    at += count;
    if (count < sizeof(ByteBlock)) break;
  }
  return at;
}

/// The end of the run of `kind` at `at`.
inline size_t end_of_run(std::string_view text, size_t at, Kind kind) {
  if (kind == Kind::kLetter) at = skip_ascii_letters(text, at);
  for (size_t next = at; next < text.size(); at = next) {
    if (next_kind(text, next) != kind) break;
  }
  return at;
}

/// The end of 's 't 're 've 'm 'll 'd at text[at], or `at` if there is none.
size_t end_of_contraction(std::string_view text, size_t at, bool ignore_case);

/// The match of \s+(?!\S)|\s+ in whitespace that begins at `at`: all of it at the end of the text, otherwise all but
/// its last code point, unless that is the only one.
size_t end_of_space(std::string_view text, size_t at);

/// The match of \s*[\r\n]+ in whitespace that begins at `at`: up to its last line end, or `at` if it has none.
size_t end_of_lines(std::string_view text, size_t at);

inline bool is_line_end(char byte) { return byte == '\r' || byte == '\n'; }

/// The end of a word of up to 15 ASCII letters, with or without a space before them, or `at` for any other word. It
/// agrees with all rules and is the fastest way to find most words.
inline size_t end_of_plain_word(std::string_view text, size_t at) {
  const size_t letters = at + (text[at] == ' ' ? 1 : 0);
  if (letters + sizeof(ByteBlock) > text.size()) return at;
  const ByteBlock bytes = load_block(text.data() + letters);
  const size_t count = leading_count(in_range(bytes | 0x20, 'a', 26));
  if (count == 0 || count == sizeof(ByteBlock)) return at;
  const bool letter_may_follow = static_cast<unsigned char>(text[letters + count]) >= 0x80;
  return letter_may_follow ? at : letters + count;
}

template <WordRules rules>
size_t end_of_word(std::string_view text, size_t at) {
  constexpr bool gpt2 = rules == WordRules::kGpt2;
  if (text[at] == '\'') {
    const size_t end = end_of_contraction(text, at, !gpt2);
    if (end != at) return end;
  }
  size_t behind = at;
  const Kind kind = next_kind(text, behind);
  if (kind == Kind::kLetter) return end_of_run(text, behind, kind);
  if (kind == Kind::kNumber) {
    if constexpr (gpt2) return end_of_run(text, behind, kind);
    for (int more = rules == WordRules::kLlama3 ? 2 : 0; more > 0 && behind < text.size(); --more) {
      size_t next = behind;
      if (next_kind(text, next) != Kind::kNumber) break;
      behind = next;
    }
    return behind;
  }
  // A space may precede letters; by the later rules, any character but a line end may.
  const bool is_space = text[at] == ' ';
  bool is_other = kind == Kind::kOther;
  if (behind < text.size() && (gpt2 ? is_space : !is_line_end(text[at]))) {
    size_t next = behind;
    const Kind next_is = next_kind(text, next);
    if (next_is == Kind::kLetter) return end_of_run(text, next, next_is);
    if (gpt2 && next_is == Kind::kNumber) return end_of_run(text, next, next_is);
    if (is_space && next_is == Kind::kOther) {
      is_other = true;
      behind = next;
    }
  }
  if (is_other) {
    behind = end_of_run(text, behind, Kind::kOther);
    if constexpr (!gpt2) {
      while (behind < text.size() && is_line_end(text[behind])) ++behind;
    }
    return behind;
  }
  if constexpr (!gpt2) {
    const size_t lines = end_of_lines(text, at);
    if (lines != at) return lines;
  }
  return end_of_space(text, at);
}

}  // namespace word_scanner

/// Calls word(begin, end), with byte offsets, for each word in order, until a call returns false. Words cover the text.
/// Returns true if it visited all words.
template <WordRules rules, class Word>
bool for_each_word(std::string_view text, Word&& word) {
  size_t block = 0;
  uint64_t begins = 0;  // beginnings of words: bit i for text[block + i]
  if constexpr (rules == WordRules::kGpt2) begins = begins_of_gpt2_words(text, block);
  for (size_t at = 0, end = 0; at < text.size(); at = end) {
    if (begins != 0) {
      end = block + static_cast<size_t>(std::countr_zero(begins));
      begins &= begins - 1;
    } else {
      const size_t plain = word_scanner::end_of_plain_word(text, at);
      end = plain != at ? plain : word_scanner::end_of_word<rules>(text, at);
      if constexpr (rules == WordRules::kGpt2) {
        block = end;
        begins = begins_of_gpt2_words(text, block);
      }
    }
    if (!word(at, end)) return false;
  }
  return true;
}

}  // namespace portatune::text
