// Writer of zip archives for tests, by minizip.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace portatune {

struct ZipEntry {
  std::string name, bytes;
  unsigned mode = 0644;
};

void write_zip(const std::filesystem::path& file, const std::vector<ZipEntry>& entries);

}  // namespace portatune
