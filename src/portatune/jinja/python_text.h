// Texts as Python's str has them: of code points, here kept as UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::jinja {

/// The code point that begins at `at`, and the bytes that it has. A byte that begins none counts as one.
struct CodePoint {
  char32_t value;
  size_t bytes;
};
CodePoint code_point_at(std::string_view text, size_t at);
void append_utf8(std::string& text, char32_t c);

/// str.isspace() of a character.
bool is_space(char32_t c);

std::vector<std::string_view> characters_of(std::string_view text);
int64_t length_of(std::string_view text);

/// Called before a text is made that is longer than those it is made from.
/// errors  Fault above 16 MB
void require_bytes(double bytes);

/// Which ends of a text are stripped.
struct Ends {
  bool left = true, right = true;
};
std::string_view strip(std::string_view text, Ends ends = {});
/// Of all characters that stand in `characters`.
std::string_view strip(std::string_view text, std::string_view characters, Ends ends);

/// str.split and str.rsplit.
/// separator  empty: runs of blanks, and none at the ends
/// most       splits; below 0: no limit
std::vector<std::string_view> split(std::string_view text, std::string_view separator, int64_t most, bool from_right);
std::vector<std::string_view> split_lines(std::string_view text);
/// most  replacements; below 0: no limit
std::string replace(std::string_view text, std::string_view old, std::string_view by, int64_t most);
int64_t count_of(std::string_view text, std::string_view part);

// errors  Unsupported for letters beyond ASCII
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string capitalize(std::string_view text);
/// The words of a text by str.title() or, `as_filter`, by Jinja's filter of that name.
std::string title(std::string_view text, bool as_filter);

}  // namespace portatune::jinja
