// PNG by libspng.
#include <spng.h>

#include <algorithm>
#include <vector>

#include "portatune/media/image/formats.h"
#include "portatune/media/image/orientation.h"

namespace portatune::image {
namespace {

// Limits for text, profiles and similar chunks.
constexpr size_t kMaxChunkBytes = 16 << 20, kMaxStoredBytes = 64 << 20;

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

class PngReader {
 public:
  PngReader(std::span<const std::byte> file, const std::string& where)
      : context_(spng_ctx_new(0)), where_(where), file_bytes_(file.size()) {
    if (!context_) throw std::bad_alloc();
    check(spng_set_chunk_limits(context_.get(), kMaxChunkBytes, kMaxStoredBytes));
    check(spng_set_png_buffer(context_.get(), file.data(), file.size()));
    check(spng_get_ihdr(context_.get(), &header_));
  }

  Size size() const { return {header_.height, header_.width}; }

  Image read_pixels() {
    Image image(size());
    // Pillow clips 16-bit grey at 255 and does not scale it.
    if (header_.color_type == SPNG_COLOR_TYPE_GRAYSCALE && header_.bit_depth == 16) {
      read_deep_grey(image);
    } else {
      check(spng_decode_image(context_.get(), image.bytes().data(), image.bytes().size(), SPNG_FMT_RGB8, 0));
    }
    return image;
  }

  // Call it after reading the pixels, because the tag may follow them.
  Orientation orientation() {
    spng_decode_chunks(context_.get());  // errors behind the picture do not matter
    spng_exif exif;
    if (spng_get_exif(context_.get(), &exif) == 0) {
      if (const auto found = orientation_in_exif(std::as_bytes(std::span(exif.data, exif.length)))) return *found;
    }
    return orientation_in_xmp(text_called("XML:com.adobe.xmp"));
  }

 private:
  // The last text of this name, as in Pillow; empty if there is none. Valid as long as the context.
  std::string_view text_called(std::string_view name) {
    uint32_t count = 0;
    if (spng_get_text(context_.get(), nullptr, &count) != 0) return {};
    std::vector<spng_text> texts(count);
    if (spng_get_text(context_.get(), texts.data(), &count) != 0) return {};
    const auto found =
        std::find_if(texts.rbegin(), texts.rend(), [&](const spng_text& t) { return t.keyword == name; });
    return found == texts.rend() ? std::string_view() : std::string_view(found->text, found->length);
  }

  void read_deep_grey(Image& image) {
    std::vector<uint16_t> grey(image.bytes().size() / 3);
    check(spng_decode_image(context_.get(), grey.data(), 2 * grey.size(), SPNG_FMT_PNG, 0));
    uint8_t* rgb = image.bytes().data();
    for (const uint16_t level : grey) rgb = std::fill_n(rgb, 3, static_cast<uint8_t>(std::min<uint16_t>(level, 255)));
  }

  void check(int status) const {
    if (status == 0) return;
    if (status == SPNG_IO_EOF) throw truncated(where_, "PNG", file_bytes_);
    throw damaged(where_, "PNG", spng_strerror(status));
  }

  std::unique_ptr<spng_ctx, FreeContext> context_;
  const std::string& where_;
  const size_t file_bytes_;
  spng_ihdr header_ = {};
};

}  // namespace

Image decode_png(std::span<const std::byte> file, const std::string& where, const DecodeOptions& options) {
  PngReader reader(file, where);
  require_size(reader.size(), where, options);
  Image image = reader.read_pixels();
  return upright(std::move(image), reader.orientation());
}

}  // namespace portatune::image
