// Search of a Python package index for a file with a known hash.
#pragma once

#include <string>

#include "portatune/runtime/pjrt/plugin/pins.h"

namespace portatune {

/// PyPI's own index, the default of pip.
inline constexpr const char* kPyPi = "https://pypi.org/simple";

/// Returns the URL of the pinned file.
/// index   URL of a simple repository
/// errors  UsageError for another kind of URL; NotFoundError if the index lacks the package or a file with this hash;
///         errors of io::open_random_access()
/// source  https://packaging.python.org/en/latest/specifications/simple-repository-api, in its HTML form, which every
///         index has
std::string url_of(const std::string& index, const pjrt::Pin& pin);

}  // namespace portatune
