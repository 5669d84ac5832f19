// Remote files in large blocks.
#pragma once

#include <memory>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

inline constexpr int64_t kReadAheadBlock = 4 << 20;
inline constexpr size_t kReadAheadBlocks = 6;

/// The same file, read in blocks of 4 MB, of which the 6 that were used last are kept: enough for a few columns of
/// Parquet. Where one block follows the other, the next is fetched meanwhile.
std::shared_ptr<const RandomAccessFile> read_ahead(std::shared_ptr<const RandomAccessFile> file);

}  // namespace portatune::io
