// Hashes that detect changes of files.
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

/// 64-bit XXH3 of a sequence of bytes.
class ContentHash {
 public:
  explicit ContentHash(uint64_t seed = 0);
  void add(std::span<const std::byte> bytes);
  /// The hash of all bytes so far.
  uint64_t value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The size and the hash of a file, for comparing two versions.
struct FileSum {
  int64_t bytes = 0;
  uint64_t xxh3 = 0;  ///< ContentHash of all bytes, seed 0

  bool operator==(const FileSum&) const = default;
};
/// Reads the file and computes its sum.
/// errors    NotFoundError, IoError
FileSum sum_of_file(const std::filesystem::path& path);

/// A hash of the bytes of these files in this order, as 16 hex digits, independent of their paths; gigabytes per
/// second. For a folder it covers the names and sizes of the files in it, not their bytes. It does not protect against
/// deliberate collisions.
/// errors    NotFoundError, IoError; Stopped
/// source    XXH3 by Yann Collet, with 64 bits
std::string content_hash(const std::vector<std::string>& files);
/// A 64-bit hash of these bytes.
uint64_t hash_of(std::string_view bytes);
/// A 64-bit hash of the elements of these arrays in this order.
uint64_t hash_of(const std::vector<TensorView>& arrays);

}  // namespace portatune::io
