// Trust in files and folders whose content may run as code.
#pragma once

#include <filesystem>
#include <string>

namespace portatune {

/// Why code at a path must not run: "/cache is owned by user 1000, who is neither this user (0) nor root". Empty if the
/// owner is this user or root and no other user may write, and if nothing is there.
std::string why_untrusted(const std::filesystem::path& path);

/// A shell command that makes the path and everything below it trusted.
std::string command_to_trust(const std::filesystem::path& path);

}  // namespace portatune
