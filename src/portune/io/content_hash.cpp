#include "portune/io/content_hash.h"

#include <xxhash.h>

#include <cstdint>
#include <string_view>

#include "portune/io/file.h"

namespace portune::io {
namespace {

std::string hexadecimal(uint64_t bits) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, bits /= 16) {
    *digit = "0123456789abcdef"[bits % 16];
  }
  return digits;
}

}  // namespace

std::string content_hash(const std::vector<std::string>& files) {
  uint64_t hash = 0;
  for (const std::string& path : files) {
    const MappedFile file = MappedFile::open(path);
    hash = XXH3_64bits_withSeed(file.bytes().data(), file.bytes().size(), hash);
  }
  return hexadecimal(hash);
}

}  // namespace portune::io
