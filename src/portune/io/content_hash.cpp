#include "portune/io/content_hash.h"

#include <xxhash.h>

#include <cstdint>

#include "portune/base/message.h"
#include "portune/io/file.h"

namespace portune::io {
std::string content_hash(const std::vector<std::string>& files) {
  uint64_t hash = 0;
  for (const std::string& path : files) {
    const MappedFile file = MappedFile::open(path);
    hash = XXH3_64bits_withSeed(file.bytes().data(), file.bytes().size(), hash);
  }
  return hexadecimal(hash);
}

}  // namespace portune::io
