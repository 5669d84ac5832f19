// The decoders of the file formats.
#pragma once

#include "portatune/error.h"
#include "portatune/media.h"

namespace portatune::image {

// Each function decodes a file that begins as its format does. Errors are those of decode().
Image decode_jpeg(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options);
Image decode_png(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options);
Image decode_webp(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options);

/// Throws DataError for an empty image, and for one with too many pixels in all or on a side.
void require_size(const Size& size, const std::string& where, const DecodeOptions& options);
/// The error for a file that ends too early.
DataError truncated(const std::string& where, std::string_view format, size_t bytes);
/// The error for a file that cannot be decoded.
/// reason  the message of the library
DataError damaged(const std::string& where, std::string_view format, std::string_view reason);

}  // namespace portatune::image
