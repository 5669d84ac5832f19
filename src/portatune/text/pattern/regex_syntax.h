// From Oniguruma's regular expressions to PCRE2's.
#pragma once

#include <string>
#include <string_view>

namespace portatune::text {

/// The same expression for PCRE2, with the classes \p{..}, \s, \d and \w as explicit ranges: those of the Unicode that
/// `tokenizers` has, which differs from PCRE2's.
/// errors    UsageError for what the two understand differently and is not translated
std::string pcre2_syntax(std::string_view regex);

}  // namespace portatune::text
