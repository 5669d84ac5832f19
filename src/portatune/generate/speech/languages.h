// The languages of Whisper.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace portatune::generate {

/// The code of a language, "hi" for "Hindi" and "hi"; a text that is neither name nor code stays as it is, in lower
/// case.
std::string language_code(std::string_view language);

/// The codes of all languages, each once.
std::set<std::string_view> language_codes();

}  // namespace portatune::generate
