// Files that come with the program: plug-ins, the XLA plugin for CPUs, recipes.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace portatune {

/// Where a file that comes with the program may be: beside the program, as in a build folder, and in the folder of an
/// installation. The program's own path decides, so an installation may be moved. Symbolic links to the program are
/// followed.
/// installed_in  folder below the installation prefix: "lib/portatune"
/// returns       no path if the system does not report the program's path
std::vector<std::filesystem::path> shipped_places(const std::filesystem::path& name, std::string_view installed_in);

}  // namespace portatune
