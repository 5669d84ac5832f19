// Files that are installed with the program: plug-ins, the XLA plugin for CPUs, recipes.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace portatune {

/// Possible paths of a file that is installed with the program: next to the program, as in a build folder, and in a
/// folder of the installation. Both follow from the program's own path, with symbolic links resolved, so an
/// installation may be moved.
/// installed_in  folder below the installation prefix, for example "lib/portatune"
/// returns       no path if the system does not report the program's path
std::vector<std::filesystem::path> shipped_places(const std::filesystem::path& name, std::string_view installed_in);

}  // namespace portatune
