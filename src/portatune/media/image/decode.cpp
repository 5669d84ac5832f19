#include <algorithm>
#include <array>

#include "portatune/base/text/text_parts.h"
#include "portatune/io/file/file.h"
#include "portatune/media/image/formats.h"

namespace portatune::image {
namespace {

constexpr int64_t kMaxSide = 65'535;  // the maximum of JPEG

// The format of a file and its first bytes; '?' matches any byte.
struct Format {
  std::string_view begin;
  std::string_view name;
  Image (*decode)(std::span<const std::byte>, const std::string&, const DecodeOptions&) = nullptr;  // null: unsupported
};

constexpr std::array<Format, 11> kFormats = {{{"\xFF\xD8\xFF", "JPEG", decode_jpeg},
                                              {"\x89PNG\r\n\x1A\n", "PNG", decode_png},
                                              {"RIFF????WEBP", "WebP", decode_webp},
                                              {"GIF8", "GIF"},
                                              {"BM", "BMP"},
                                              {{"II*\0", 4}, "TIFF"},
                                              {{"MM\0*", 4}, "TIFF"},
                                              {"????ftypavif", "AVIF"},
                                              {"????ftypheic", "HEIC"},
                                              {{"\0\0\0\x0CjP  ", 8}, "JPEG 2000"},
                                              {"<svg", "SVG"}}};

const Format* format_of(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto found =
      std::ranges::find_if(kFormats, [&](const Format& format) { return begins_like(text, format.begin); });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

void require_size(const Size& size, const std::string& where, const DecodeOptions& options) {
  if (size.height < 1 || size.width < 1) {
    throw DataError({.where = where, .given = "an image of " + to_string(size), .expected = "at least one pixel"});
  }
  if (size.height > options.max_pixels / size.width) {
    throw DataError({.where = where,
                     .given = "an image of " + to_string(size),
                     .expected = "at most " + std::to_string(options.max_pixels) + " pixels in all",
                     .fix = "if the size is correct, raise the limit (max_pixels)"});
  }
  // The weights of resizing take memory for each pixel of a side, even if the other side is short.
  if (std::max(size.height, size.width) > kMaxSide) {
    throw DataError({.where = where,
                     .given = "an image of " + to_string(size),
                     .expected = "at most " + std::to_string(kMaxSide) + " pixels on each side",
                     .fix = "crop the image, or leave it out"});
  }
}

DataError truncated(const std::string& where, std::string_view format, size_t bytes) {
  return DataError({.where = where,
                    .given = "a " + std::string(format) + " file that ends after " + std::to_string(bytes) +
                             " bytes, before the end of its picture",
                    .expected = "a complete file"});
}

DataError damaged(const std::string& where, std::string_view format, std::string_view reason) {
  return DataError({.where = where,
                    .given = "a damaged " + std::string(format) + " file: " + std::string(reason),
                    .expected = "a file that can be decoded"});
}

bool is_image(std::span<const std::byte> file) {
  const Format* format = format_of(file);
  return format != nullptr && format->decode != nullptr;
}

Image decode(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options) {
  const Format* format = format_of(file);
  if (format && format->decode) return format->decode(file, where, options);
  const std::string found = file.empty() ? "an empty file"
                            : format     ? "a " + std::string(format->name) + " file"
                                         : "a file that is not an image, or of an unknown kind";
  throw DataError({.where = where, .given = found, .expected = "a JPEG, PNG or WebP file"});
}

Image read(const std::filesystem::path& file, const DecodeOptions& options) {
  const io::MappedFile mapped = io::MappedFile::open(file, io::FileAccess::kRead);
  return decode(mapped.bytes(), file.string(), options);
}

}  // namespace portatune::image
