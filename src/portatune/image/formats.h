// The file formats, each behind a function.
#pragma once

#include "portatune/error.h"
#include "portatune/image.h"

namespace portatune::image {

// Each decodes a file that begins as its format does. Errors are those of decode().
Image decode_jpeg(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options);
Image decode_png(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options);
Image decode_webp(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options);

/// DataError for an empty image, or one of too many pixels in all or on a side.
void require_size(const Size& size, const std::string& where, const DecodeOptions& options);
/// Of a file that ends too early.
DataError cut_short(const std::string& where, std::string_view format, size_t bytes);
/// Of a file that cannot be decoded. reason  in the words of the library
DataError damaged(const std::string& where, std::string_view format, std::string_view reason);

}  // namespace portatune::image
