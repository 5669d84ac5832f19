#include <algorithm>
#include <array>

#include "portatune/media/image/colour.h"
#include "portatune/media/image/random_crop.h"

namespace portatune::image {
namespace {

// The size of the whole image at which the part is as large as the result.
Size required_size(const Part& part, Size whole, Size result) {
  const auto side = [](int64_t of_whole, int64_t of_part, int64_t wanted) {
    return std::min(of_whole, (of_whole * wanted + of_part - 1) / of_part);
  };
  return {side(whole.height, part.size.height, result.height), side(whole.width, part.size.width, result.width)};
}

void flip(Image& image) {
  for (int64_t y = 0; y < image.size().height; ++y) {
    uint8_t* left = image.row(y);
    uint8_t* right = left + 3 * (image.size().width - 1);
    for (; left < right; left += 3, right -= 3) std::swap_ranges(left, left + 3, right);
  }
}

// Applies the three changes in random order.
void change_colours(Image& image, double strength, Draws& draws) {
  std::array changes = {change_brightness, change_contrast, change_saturation};
  for (size_t left = changes.size(); left > 0; --left) {
    std::swap(changes[static_cast<size_t>(draws.below(static_cast<int64_t>(left)))], changes[left - 1]);
    changes[left - 1](image, static_cast<float>(draws.between(1 - strength, 1 + strength)));
  }
}

Image cropped_at_random(std::span<const std::byte> file, const std::string& where, const ProcessorConfig& config,
                        Draws& draws, DecodeOptions options) {
  std::optional<Part> part;
  Size whole;
  const auto draw = [&](Size size) {
    whole = size;
    part = random_crop(size, draws);
  };
  if (options.at_least) {
    options.at_least = [&](Size size) {
      draw(size);
      return required_size(*part, size, config.output_size());
    };
  }
  const Image image = decode(file, where, options);
  if (!part) draw(image.size());  // no JPEG, or full size
  const Part region = scaled(*part, whole, image.size());
  return resize(image.view().crop(region.top, region.left, region.size), config.output_size(), config.resample);
}

}  // namespace

Tensor augment(std::span<const std::byte> file, const std::string& where, const Processor& processor,
               const Augmentation& augmentation, uint64_t key, DecodeOptions options) {
  // Each kind of change has its own random numbers, so it does not depend on the other kinds.
  Draws of_crop(split_mix_64(key, 0)), of_flip(split_mix_64(key, 1)), of_colour(split_mix_64(key, 2));
  Image image = augmentation.crop ? cropped_at_random(file, where, processor.config(), of_crop, std::move(options))
                                  : processor.resize_and_crop(decode(file, where, options).view(), where);
  if (augmentation.flip && of_flip.below(2) == 1) flip(image);
  if (augmentation.color > 0) change_colours(image, augmentation.color, of_colour);
  return processor.normalize(image.view());
}

}  // namespace portatune::image
