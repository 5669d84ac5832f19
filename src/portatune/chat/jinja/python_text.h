// The functions of Python's str, which consists of code points, for texts in UTF-8, and the escapes of its literals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::jinja {

/// The code point that begins at byte `at`, and its size in bytes. A byte that begins no code point counts as one.
struct CodePoint {
  char32_t value;
  size_t bytes;
};
CodePoint code_point_at(std::string_view text, size_t at);
void append_utf8(std::string& text, char32_t c);

/// The result of str.isspace() for a character.
bool is_space(char32_t c);

std::vector<std::string_view> characters_of(std::string_view text);
int64_t length_of(std::string_view text);

/// Checks the size of a new text. Call it before making a text that is longer than its sources.
/// errors  Fault above 16 MB
void require_bytes(double bytes);

/// The ends of a text to strip.
struct Ends {
  bool left = true, right = true;
};
std::string_view strip(std::string_view text, Ends ends = {});
/// Strips all characters that occur in `characters`.
std::string_view strip(std::string_view text, std::string_view characters, Ends ends);

/// The functions str.split and str.rsplit.
/// separator  empty: split at runs of whitespace, without empty parts at the ends
/// limit      maximal number of splits; below 0: no limit
std::vector<std::string_view> split(std::string_view text, std::string_view separator, int64_t limit, bool from_right);
std::vector<std::string_view> split_lines(std::string_view text);
/// The function str.replace.
/// limit  maximal number of replacements; below 0: no limit
std::string replace(std::string_view text, std::string_view old, std::string_view by, int64_t limit);
int64_t count_of(std::string_view text, std::string_view part);

// Changes of case.
// errors  Unsupported for letters beyond ASCII
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalize(std::string_view text);
/// The text in title case, by str.title() or, with `as_filter`, by Jinja's filter of that name.
std::string title(std::string_view text, bool as_filter);

/// The text between the quotes with its escapes resolved. Invalid escapes stay, with their backslash. Empty for a code
/// point that does not exist, and for \N{...}, which this interpreter lacks.
std::optional<std::string> unescaped(std::string_view literal);

}  // namespace portatune::jinja
