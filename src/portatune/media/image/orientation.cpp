#include "portatune/media/image/orientation.h"

#include <algorithm>
#include <cstring>

namespace portatune::image {
namespace {

constexpr uint16_t kOrientationTag = 0x0112;
constexpr uint16_t kShort = 3, kLong = 4;

bool is_orientation(uint32_t value) { return value >= 1 && value <= 8; }

// Reads numbers of a TIFF file in its byte order; 0 beyond the end.
class TiffBytes {
 public:
  explicit TiffBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Reads the byte order. Returns false if this is no TIFF file.
  bool begin() {
    if (bytes_.size() < 8) return false;
    big_endian_ = std::memcmp(bytes_.data(), "MM\0*", 4) == 0;
    return big_endian_ || std::memcmp(bytes_.data(), "II*\0", 4) == 0;
  }

  uint32_t number(size_t at, size_t width) const {
    if (at > bytes_.size() || bytes_.size() - at < width) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      const size_t byte = big_endian_ ? i : width - 1 - i;
      value = value << 8 | std::to_integer<uint32_t>(bytes_[at + byte]);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool big_endian_ = false;
};

// Moves pixels: row y and column x of the result come from the position source(y, x) of the image.
template <class Source>
Image rearranged(const Image& image, Size size, Source source) {
  Image result(size);
  const View from = image.view();
  for (int64_t y = 0; y < size.height; ++y) {
    uint8_t* to = result.row(y);
    for (int64_t x = 0; x < size.width; ++x, to += 3) {
      const auto [row, column] = source(y, x);
      std::copy_n(from.row(row) + 3 * column, 3, to);
    }
  }
  return result;
}

}  // namespace

std::optional<Orientation> orientation_in_exif(std::span<const std::byte> exif) {
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  if (exif.size() > kPrefix.size() && std::memcmp(exif.data(), kPrefix.data(), kPrefix.size()) == 0) {
    exif = exif.subspan(kPrefix.size());
  }
  TiffBytes tiff(exif);
  if (!tiff.begin()) return std::nullopt;
  const size_t directory = tiff.number(4, 4);
  const size_t entries = tiff.number(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (tiff.number(entry, 2) != kOrientationTag) continue;
    const uint32_t type = tiff.number(entry + 2, 2);
    const uint32_t value = type == kShort ? tiff.number(entry + 8, 2) : type == kLong ? tiff.number(entry + 8, 4) : 0;
    return is_orientation(value) ? static_cast<Orientation>(value) : kUpright;
  }
  return std::nullopt;
}

Orientation orientation_in_xmp(std::string_view xmp) {
  constexpr std::string_view kName = "tiff:Orientation";
  for (size_t at = xmp.find(kName); at != xmp.npos; at = xmp.find(kName, at + 1)) {
    std::string_view value = xmp.substr(at + kName.size());
    for (const std::string_view before : {"=\"", ">"}) {
      if (!value.starts_with(before) || value.size() == before.size()) continue;
      const uint32_t digit = static_cast<uint8_t>(value[before.size()]) - uint32_t{'0'};
      if (digit <= 9) return is_orientation(digit) ? static_cast<Orientation>(digit) : kUpright;
    }
  }
  return kUpright;
}

Image upright(Image image, Orientation orientation) {
  if (orientation == kUpright) return image;
  const auto [height, width] = image.size();
  const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool swap = swaps_sides(orientation);
  const auto source = [=, last_row = height - 1, last_column = width - 1](int64_t y, int64_t x) {
    if (swap) std::swap(y, x);
    return std::pair(from_below ? last_row - y : y, from_right ? last_column - x : x);
  };
  return rearranged(image, swap ? Size{width, height} : Size{height, width}, source);
}

}  // namespace portatune::image
