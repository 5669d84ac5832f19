#include "portatune/media/image/encode_png.h"

#include <spng.h>

#include <cstdlib>
#include <new>

namespace portatune::image {

std::string encode_png(const Image& image) {
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
  spng_ihdr header = {.width = static_cast<uint32_t>(image.size().width),
                      .height = static_cast<uint32_t>(image.size().height),
                      .bit_depth = 8,
                      .color_type = SPNG_COLOR_TYPE_TRUECOLOR,
                      .compression_method = 0,
                      .filter_method = 0,
                      .interlace_method = 0};
  const std::span<const uint8_t> pixels = image.bytes();
  // Nothing but a lack of memory makes these calls fail.
  if (!context || spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1) != 0 ||
      spng_set_ihdr(context.get(), &header) != 0 ||
      spng_encode_image(context.get(), pixels.data(), pixels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) != 0) {
    throw std::bad_alloc();
  }
  size_t size = 0;
  int status = 0;
  const std::unique_ptr<void, void (*)(void*)> file(spng_get_png_buffer(context.get(), &size, &status), std::free);
  if (!file) throw std::bad_alloc();
  return {static_cast<const char*>(file.get()), size};
}

}  // namespace portatune::image
