// Reads from files with random access.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

/// The bytes from `offset` on: fewer than `bytes` at the end of the file.
inline std::string read(const RandomAccessFile& file, int64_t offset, size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(file.read_at(offset, text));
  return text;
}

}  // namespace portatune::io
