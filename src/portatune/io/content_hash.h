// Whether files are still the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/tensor.h"

namespace portatune::io {

/// 16 hex digits that depend on the bytes of these files and on their order, not on where they are; gigabytes a second.
/// In place of a folder: on the names and sizes of the files in it, not on their bytes.
/// No protection against someone who wants another file to have the same.
/// errors    NotFoundError, IoError; Stopped
/// source    XXH3 by Yann Collet, with 64 bits
std::string content_hash(const std::vector<std::string>& files);
/// 64 bits that depend on these bytes.
uint64_t hash_of(std::string_view bytes);
/// 64 bits that depend on the elements of these arrays, and on their order.
uint64_t hash_of(const std::vector<TensorView>& arrays);

}  // namespace portatune::io
