// Archives of texts, for bug reports.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace portatune::doctor {

/// Writes a .tar.gz of texts by their names. It replaces an older file.
/// errors  IoError
void write_bundle(const std::filesystem::path& file, const std::map<std::string, std::string>& texts);

}  // namespace portatune::doctor
