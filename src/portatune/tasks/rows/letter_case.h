// Texts in lower and in upper case.
#pragma once

#include <string>
#include <string_view>

namespace portatune::tasks {

/// Python's str.lower().
std::string lower_case(std::string_view text);

/// Python's str.upper() for the letters of living languages: ligatures and the accents of Ancient Greek stay.
std::string upper_case(std::string_view text);

}  // namespace portatune::tasks
