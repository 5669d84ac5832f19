// Python package indexes, as far as a file with a known hash is looked for.
#pragma once

#include <string>

#include "portatune/pjrt/pins.h"

namespace portatune {

/// PyPI's own, as pip has it.
inline constexpr const char* kPyPi = "https://pypi.org/simple";

/// The URL of the pinned file.
/// index   URL of a simple repository
/// errors  UsageError for another kind of URL; NotFoundError if the index has no such package, or no file of it with
///         that hash; as io::open_random_access
/// source  https://packaging.python.org/en/latest/specifications/simple-repository-api, in its HTML form, which every
///         index has
std::string url_of(const std::string& index, const pjrt::Pin& pin);

}  // namespace portatune
