// Whether files are still the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/tensor.h"

struct XXH3_state_s;

namespace portatune::io {

/// XXH3 with 64 bits of bytes that come one after the other.
class ContentHash {
 public:
  explicit ContentHash(uint64_t seed = 0);
  void add(std::span<const std::byte> bytes);
  /// Of the bytes so far.
  uint64_t value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// What tells one version of a file from another.
struct FileSum {
  int64_t bytes = 0;
  uint64_t xxh3 = 0;  ///< ContentHash of all bytes, seed 0

  bool operator==(const FileSum&) const = default;
};
/// Reads the file.
/// errors    NotFoundError, IoError
FileSum sum_of_file(const std::filesystem::path& path);

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
