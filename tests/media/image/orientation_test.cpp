#include "portatune/media/image/orientation.h"

#include <gtest/gtest.h>

#include <vector>

namespace portatune::image {
namespace {

// A picture of 3 x 2 whose red is 1 2 3 / 4 5 6, turned upright; returns its rows.
std::vector<int> turned(Orientation orientation) {
  Image image({2, 3});
  for (size_t i = 0; i < 6; ++i) image.bytes()[3 * i] = static_cast<uint8_t>(i + 1);
  const Image result = upright(std::move(image), orientation);
  EXPECT_EQ(result.size(), (swaps_sides(orientation) ? Size{3, 2} : Size{2, 3}));
  std::vector<int> red;
  for (size_t i = 0; i < 6; ++i) red.push_back(result.bytes()[3 * i]);
  return red;
}

TEST(Orientation, TurnsAsExifDefines) {
  const std::vector<std::vector<int>> expected = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                                                  {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                                                  {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (Orientation orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(turned(orientation), expected[static_cast<size_t>(orientation - 1)]) << orientation;
  }
}

std::optional<Orientation> in_exif(std::string_view bytes) {
  return orientation_in_exif(std::as_bytes(std::span(bytes)));
}

TEST(Orientation, IsReadInBothByteOrders) {
  constexpr char kLittle[] = "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0";
  constexpr char kBig[] = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0";
  EXPECT_EQ(in_exif({kLittle, sizeof(kLittle) - 1}), 6);
  EXPECT_EQ(in_exif({kBig, sizeof(kBig) - 1}), 8);
}

TEST(Orientation, IsUprightOrUnknownInDamagedExif) {
  constexpr char kWhole[] = "II*\0\x08\0\0\0\x02\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0";
  for (size_t length = 0; length < 12; ++length) EXPECT_EQ(in_exif({kWhole, length}), std::nullopt) << length;
  for (size_t length = 12; length < 18; ++length) EXPECT_EQ(in_exif({kWhole, length}), kUpright) << length;
  EXPECT_EQ(in_exif(std::string_view("II*\0\xff\xff\xff\xff\xff\xff", 10)), std::nullopt);
  EXPECT_EQ(in_exif("no EXIF at all"), std::nullopt);
}

TEST(Orientation, IsFoundInXmp) {
  EXPECT_EQ(orientation_in_xmp("<x tiff:Orientation=\"3\"/>"), 3);
  EXPECT_EQ(orientation_in_xmp("<tiff:Orientation>7</tiff:Orientation>"), 7);
  EXPECT_EQ(orientation_in_xmp("<x tiff:Orientation=\"9\"/>"), kUpright);
  EXPECT_EQ(orientation_in_xmp("<x tiff:Orientation="), kUpright);
}

}  // namespace
}  // namespace portatune::image
