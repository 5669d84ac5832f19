// Texts in lower and in upper case.
#pragma once

#include <string>
#include <string_view>

namespace portatune::tasks {

/// Appends the lower case of a code point to a text in UTF-8, without Python's rule for a sigma at the end of a word.
void append_lower_case(char32_t c, std::string& text);

/// Python's str.lower().
std::string lower_case(std::string_view text);

/// Python's str.upper() for the letters of living languages: ligatures and the accents of Ancient Greek stay.
std::string upper_case(std::string_view text);

}  // namespace portatune::tasks
