// Read-ahead for remote files.
#pragma once

#include <memory>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

inline constexpr int64_t kReadAheadBlock = 4 << 20;
inline constexpr size_t kReadAheadBlocks = 6;

/// The same file, read in blocks of 4 MB. Keeps the 6 most recently used blocks: enough for a few columns of Parquet.
/// Sequential reading fetches the next block in the background.
std::shared_ptr<const RandomAccessFile> read_ahead(std::shared_ptr<const RandomAccessFile> file);

}  // namespace portatune::io
