// Porter's stemmer.
#pragma once

#include <string>

namespace portatune::tasks {

/// The stem of an English word of a to z and digits: "run" for "running".
/// source  Porter 1980, "An algorithm for suffix stripping", with the changes of nltk: PorterStemmer() in its default
///         mode, NLTK_EXTENSIONS
std::string porter_stem(const std::string& word);

}  // namespace portatune::tasks
