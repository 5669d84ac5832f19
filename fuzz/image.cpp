// Any bytes either throw DataError or give an image that can be resized and converted to model input.
#include "portatune/error.h"
#include "portatune/media.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune::image;
  static const Processor processor({.size = {6, 5}, .resample = Filter::kLanczos});
  static const Processor cropping({.shortest_edge = 7, .do_center_crop = true, .crop_size = {5, 6}});
  const auto file = std::as_bytes(std::span(data, size));
  DecodeOptions options{.max_pixels = 1 << 18};
  try {
    const Image whole = decode(file, "fuzz", options);
    processor(whole.view());
    cropping(whole.view());
    options.at_least = [](Size) { return Size{4, 4}; };
    decode(file, "fuzz", options);
    augment(file, "fuzz", processor, {.color = 0.5}, size, options);
  } catch (const portatune::DataError&) {
  }
  return 0;
}
