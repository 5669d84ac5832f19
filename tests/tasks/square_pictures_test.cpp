// Pictures as arrays against TensorFlow: tests/data/image/area.json, made by tests/oracle/data/make_area_goldens.py.
#include "portatune/tasks/files/square_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace portatune::tasks {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

image::Image image_of(image::Size size, const std::vector<uint8_t>& pixels) {
  image::Image image(size);
  std::ranges::copy(pixels, image.bytes().begin());
  return image;
}

// An image whose pixels have their row, their column and 0.
image::Image numbered(image::Size size) {
  image::Image image(size);
  for (int64_t i = 0; i < size.height * size.width; ++i) {
    const auto row = static_cast<uint8_t>(i / size.width), column = static_cast<uint8_t>(i % size.width);
    std::ranges::copy(std::array<uint8_t, 3>{row, column, 0}, image.bytes().begin() + 3 * i);
  }
  return image;
}

TEST(SquarePictures, GrayValuesAreThoseOfTensorFlow) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/image/area.json"));
  const auto colors = golden["colors"].get<std::vector<uint8_t>>();
  const Tensor gray = gray_values(image_of({1, std::ssize(colors) / 3}, colors));
  EXPECT_THAT(gray.as<int32_t>(), ElementsAreArray(golden["grey"].get<std::vector<int32_t>>()));
  EXPECT_EQ(gray.shape(), (Shape{1, std::ssize(colors) / 3}));
}

TEST(SquarePictures, TakeTheMiddleOrARandomPart) {
  const auto corner = [](const image::Image& picture) { return std::pair(picture.bytes()[0], picture.bytes()[1]); };
  const image::Image wide = numbered({4, 9}), high = numbered({9, 4});
  EXPECT_EQ(corner(square_picture(wide.view(), 4, {})), std::pair(uint8_t{0}, uint8_t{2}));
  EXPECT_EQ(corner(square_picture(high.view(), 4, {})), std::pair(uint8_t{2}, uint8_t{0}));
  std::set<int> columns;
  for (uint64_t key = 0; key < 100; ++key) columns.insert(corner(square_picture(wide.view(), 4, key)).second);
  EXPECT_THAT(columns, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(square_picture(wide.view(), 2, {}).size(), (image::Size{2, 2}));
}

TEST(SquarePictures, CoarseColorsHaveThreeBitsOfEachChannel) {
  const image::Image picture = image_of({1, 3}, {0, 0, 0, 31, 32, 255, 200, 100, 50});
  const Tensor colors = coarse_colors(picture);
  EXPECT_THAT(colors.as<int32_t>(), ElementsAre(0, 8 * 1 + 7, 64 * 6 + 8 * 3 + 1));
  const image::Image square = image_of({2, 2}, {0, 0, 0, 31, 32, 255, 200, 100, 50, 255, 255, 255});
  EXPECT_THAT(picture_of_coarse(coarse_colors(square).as<int32_t>(), 2).bytes(),
              ElementsAre(0, 0, 0, 0, 32, 224, 192, 96, 32, 224, 224, 224));
}

TEST(SquarePictures, ChannelsAreArraysOfTheirOwn) {
  const image::Image picture = image_of({2, 2}, {0, 1, 2, 31, 32, 255, 200, 100, 50, 9, 8, 7});
  const Tensor channels = color_channels(picture);
  EXPECT_THAT(channels.as<int32_t>(), ElementsAre(0, 31, 200, 9, 1, 32, 100, 8, 2, 255, 50, 7));
  EXPECT_EQ(channels.shape(), (Shape{3, 2, 2}));
  EXPECT_THAT(picture_of_channels(channels.as<int32_t>(), 2).bytes(), ElementsAreArray(picture.bytes()));
  EXPECT_THAT(numbered_channels(picture, 8).as<int32_t>(),
              ElementsAre(0, 0, 6, 0, 8, 9, 11, 8, 16, 16 + 7, 16 + 1, 16));
  EXPECT_THAT(numbered_channels(picture, 256).as<int32_t>().subspan(4, 4), ElementsAre(257, 288, 356, 264));
}

}  // namespace
}  // namespace portatune::tasks
