// Resizing by areas against TensorFlow: tests/data/image/area.json, made by tests/oracle/data/make_area_goldens.py.
#include "portatune/media/image/area_resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "portatune/media/image/encode_png.h"

namespace portatune::image {
namespace {

Image image_with(Size size, const std::vector<uint8_t>& pixels) {
  Image image(size);
  std::ranges::copy(pixels, image.bytes().begin());
  return image;
}

TEST(AreaResize, HasThePixelsOfTensorFlow) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/image/area.json"));
  for (const auto& c : golden["resized"]) {
    const Size from = {c["size"][0], c["size"][1]}, to = {c["to"][0], c["to"][1]};
    SCOPED_TRACE(to_string(from) + " to " + to_string(to));
    const Image found = area_resize(image_with(from, c["pixels"]).view(), to);
    EXPECT_THAT(found.bytes(), testing::ElementsAreArray(c["result"].get<std::vector<uint8_t>>()));
  }
}

TEST(EncodePng, WritesWhatDecodeReads) {
  const Image image = image_with({2, 3}, {0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255, 9, 8, 7, 6, 5, 4});
  const std::string file = encode_png(image);
  const Image read = decode(std::as_bytes(std::span(file)), "the file");
  EXPECT_EQ(read.size(), image.size());
  EXPECT_THAT(read.bytes(), testing::ElementsAreArray(image.bytes()));
}

}  // namespace
}  // namespace portatune::image
