// Translation of Oniguruma's regular expressions to PCRE2's syntax.
#pragma once

#include <string>
#include <string_view>

namespace portatune::text {

/// Translates an expression to PCRE2. The classes \p{..}, \s, \d and \w become explicit ranges, because the Unicode
/// versions of `tokenizers` and PCRE2 differ.
/// errors    UsageError for a construct with different meanings in the two, without a translation
std::string pcre2_syntax(std::string_view regex);

}  // namespace portatune::text
