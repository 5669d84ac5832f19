#include "image/write_png.h"

#include <spng.h>

#include <cstdio>
#include <stdexcept>

namespace portatune::image {

void write_png(const std::filesystem::path& file, const Image& image) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wb"), std::fclose);
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
  spng_ihdr header = {.width = static_cast<uint32_t>(image.size().width),
                      .height = static_cast<uint32_t>(image.size().height),
                      .bit_depth = 8,
                      .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
  const std::span<const uint8_t> bytes = image.bytes();
  if (!out || spng_set_png_file(context.get(), out.get()) != 0 || spng_set_ihdr(context.get(), &header) != 0 ||
      spng_encode_image(context.get(), bytes.data(), bytes.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) != 0) {
    throw std::runtime_error("cannot write " + file.string());
  }
}

Image plain_picture(Size size, std::array<uint8_t, 3> colour, int number) {
  Image image(size);
  for (size_t i = 0; i < image.bytes().size(); ++i) {
    image.bytes()[i] = static_cast<uint8_t>(colour[i % 3] + (i * 7 + static_cast<size_t>(number) * 13) % 32);
  }
  return image;
}

}  // namespace portatune::image
