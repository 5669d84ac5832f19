// Files and folders whose content may be run as code.
#pragma once

#include <filesystem>
#include <string>

namespace portatune {

/// Why code from there must not be run: "/cache is owned by user 1000, who is neither this user (0) nor root". Empty
/// where the owner is this user or root and no other user may write; empty also where there is nothing.
std::string why_untrusted(const std::filesystem::path& path);

/// What makes the path and all below it trusted: a command for a shell.
std::string command_to_trust(const std::filesystem::path& path);

}  // namespace portatune
