// Files that are installed with the program (plug-ins, the XLA plugin for CPUs, recipes), and trust in files whose
// content may run as code.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// Why code at a path must not run: "/cache is owned by user 1000, who is neither this user (0) nor root". Empty if the
/// owner is this user or root and no other user may write, and if nothing is there.
std::string why_untrusted(const std::filesystem::path& path);

/// A shell command that makes the path and everything below it trusted.
std::string command_to_trust(const std::filesystem::path& path);

/// Possible paths of a file that is installed with the program: next to the program, as in a build folder, and in a
/// folder of the installation. Both follow from the path of the program, or of the Python module that has this code,
/// with symbolic links resolved, so an installation may be moved.
/// installed_in  folder below the installation prefix, for example "lib/portatune"
/// returns       no path if the system does not report the program's path
std::vector<std::filesystem::path> shipped_places(const std::filesystem::path& name, std::string_view installed_in);

}  // namespace portatune
