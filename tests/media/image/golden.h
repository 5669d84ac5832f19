// Expected pixels from Pillow and transformers: tests/data/image, made by tests/oracle/data/make_image_goldens.py.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "portatune/io/safetensors/safetensors.h"
#include "portatune/media.h"

namespace portatune::image {

inline const std::filesystem::path kGoldens = std::filesystem::path(PORTATUNE_TEST_DATA) / "image";

/// The image in a uint8 [height, width, 3].
inline Image image_of(const TensorView& view) {
  Image image({view.type.shape[0], view.type.shape[1]});
  std::ranges::copy(view.as<uint8_t>(), image.bytes().begin());
  return image;
}

inline void expect_pixels(const Image& image, const TensorView& expected) {
  const Size size = {expected.type.shape[0], expected.type.shape[1]};
  ASSERT_EQ(to_string(image.size()), to_string(size));
  const auto pixels = expected.as<uint8_t>();
  int different = 0, largest = 0;
  for (size_t i = 0; i < pixels.size(); ++i) {
    const int difference = std::abs(image.bytes()[i] - pixels[i]);
    different += difference != 0;
    largest = std::max(largest, difference);
  }
  EXPECT_EQ(different, 0) << "of " << pixels.size() << " bytes, by up to " << largest;
}

}  // namespace portatune::image
