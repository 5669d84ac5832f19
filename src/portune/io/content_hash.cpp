#include "portune/io/content_hash.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "portune/base/message.h"
#include "portune/io/file.h"

namespace portune::io {
namespace {

namespace fs = std::filesystem;

// A line for each file in a folder.
std::string listing(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink)) {
    if (!entry.is_regular_file()) continue;
    lines.push_back(entry.path().lexically_relative(folder).string() + " " + std::to_string(entry.file_size()) + "\n");
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string content_hash(const std::vector<std::string>& files) {
  uint64_t hash = 0;
  for (const std::string& path : files) {
    if (fs::is_directory(path)) {
      const std::string text = listing(path);
      hash = XXH3_64bits_withSeed(text.data(), text.size(), hash);
      continue;
    }
    const MappedFile file = MappedFile::open(path);
    hash = XXH3_64bits_withSeed(file.bytes().data(), file.bytes().size(), hash);
  }
  return hexadecimal(hash);
}

}  // namespace portune::io
