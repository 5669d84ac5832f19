// What the formats of compressed data have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "portatune/io/compress/byte_source.h"

namespace portatune::io {

/// Decompresses one piece after the other, in constant memory.
class Decompressor {
 public:
  struct Step {
    size_t taken = 0;             ///< bytes of the input
    size_t given = 0;             ///< bytes in the target
    const char* fault = nullptr;  ///< what is wrong with the input behind those taken
  };

  virtual ~Decompressor() = default;
  /// Takes compressed bytes, of which there are none at the end only, and gives decompressed ones. Neither means that
  /// there is nothing to give without more input. `target` is not empty.
  virtual Step step(std::span<const char> input, std::span<char> target) = 0;
  /// Whether the data are not over yet: gzip members and zstd frames have an end.
  virtual bool is_within() const = 0;
  /// "whole zstd data", in errors.
  virtual std::string expected() const = 0;
};

/// What `compressed` holds. `name` stands in errors.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> compressed, std::string name,
                                         std::unique_ptr<Decompressor> decompressor);

}  // namespace portatune::io
