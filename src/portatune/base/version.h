// The version of Portatune, which CMakeLists.txt of the repository sets.
#pragma once

#include <string_view>

namespace portatune {

/// Major, minor and patch version: "1.2.3".
std::string_view version();

}  // namespace portatune
