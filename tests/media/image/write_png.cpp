#include "media/image/write_png.h"

#include "portatune/base/files/output_file.h"
#include "portatune/media/image/encode_png.h"

namespace portatune::image {

void write_png(const std::filesystem::path& file, const Image& image) { replace_file(file, encode_png(image)); }

Image plain_picture(Size size, std::array<uint8_t, 3> colour, int number) {
  Image image(size);
  for (size_t i = 0; i < image.bytes().size(); ++i) {
    image.bytes()[i] = static_cast<uint8_t>(colour[i % 3] + (i * 7 + static_cast<size_t>(number) * 13) % 32);
  }
  return image;
}

}  // namespace portatune::image
