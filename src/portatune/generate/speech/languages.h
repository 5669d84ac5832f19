// The languages of Whisper.
#pragma once

#include <string>
#include <string_view>

namespace portatune::generate {

/// The code of a language, "hi" for "Hindi" and "hi"; a text that is neither name nor code stays as it is, in lower
/// case.
std::string language_code(std::string_view language);

}  // namespace portatune::generate
