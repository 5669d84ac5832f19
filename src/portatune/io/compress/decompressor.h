// The common interface of decompression formats.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "portatune/io/compress/byte_source.h"

namespace portatune::io {

/// Decompresses piece by piece, in constant memory.
class Decompressor {
 public:
  struct Step {
    size_t taken = 0;             ///< number of bytes consumed from the input
    size_t given = 0;             ///< number of bytes written to the target
    const char* fault = nullptr;  ///< the error in the input after the consumed bytes, or null
  };

  virtual ~Decompressor() = default;
  /// Consumes compressed bytes and writes decompressed bytes. `input` is empty only at the end; `target` is not empty.
  /// A step that consumes and writes nothing needs more input.
  virtual Step step(std::span<const char> input, std::span<char> target) = 0;
  /// Returns whether a gzip member or a zstd frame has begun and not ended.
  virtual bool is_within() const = 0;
  /// The expected input for errors: "complete zstd data".
  virtual std::string expected() const = 0;
};

/// The content of `compressed`. Errors contain `name`.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> compressed, std::string name,
                                         std::unique_ptr<Decompressor> decompressor);

}  // namespace portatune::io
