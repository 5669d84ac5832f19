#include <gtest/gtest.h>

#include <sstream>

#include "media/image/golden.h"
#include "portatune/error.h"

namespace portatune::image {
namespace {

// Names of the goldens are "filter height width".
TEST(Resize, EqualsPillow) {
  const auto goldens = io::SafetensorsFile::open(kGoldens / "resized.safetensors");
  const Image source = image_of(*goldens.find("source"));
  ASSERT_EQ(goldens.entries().size(), 39u);
  for (const auto& entry : goldens.entries()) {
    if (entry.name == "source") continue;
    SCOPED_TRACE(entry.name);
    std::istringstream name(entry.name);
    int filter;
    Size size;
    name >> filter >> size.height >> size.width;
    expect_pixels(resize(source.view(), size, static_cast<Filter>(filter)), goldens.view(entry));
  }
}

TEST(Resize, OfAPartIgnoresOtherPixels) {
  const auto goldens = io::SafetensorsFile::open(kGoldens / "resized.safetensors");
  const Image source = image_of(*goldens.find("source"));
  const Image part = center_crop(source.view(), {11, 15});
  const View same = source.view().crop(5, 8, {11, 15});
  for (const Filter filter : {Filter::kNearest, Filter::kBilinear, Filter::kLanczos}) {
    const Image expected = resize(part.view(), {20, 6}, filter);
    EXPECT_TRUE(std::ranges::equal(resize(same, {20, 6}, filter).bytes(), expected.bytes()));
  }
}

// A wide source gives one pixel many small weights: the mean of black and white halves is grey.
TEST(Resize, MixesThousandsOfPixels) {
  Image source({1, 9000});
  for (size_t i = 0; i < source.bytes().size(); ++i) source.bytes()[i] = i < source.bytes().size() / 2 ? 0 : 255;
  for (const Filter filter : {Filter::kBox, Filter::kBilinear, Filter::kBicubic, Filter::kLanczos}) {
    const Image result = resize(source.view(), {1, 1}, filter);
    for (const uint8_t byte : result.bytes()) EXPECT_NEAR(byte, 127.5, 1);
  }
}

TEST(Resize, RequiresASize) { EXPECT_THROW(resize(Image({2, 2}).view(), {0, 4}, Filter::kBilinear), UsageError); }

TEST(CenterCrop, TakesTheMiddleAndAddsBlack) {
  Image source({1, 3});
  std::ranges::copy(std::initializer_list<uint8_t>{1, 1, 1, 2, 2, 2, 3, 3, 3}, source.bytes().begin());
  const auto red = [](const Image& image) {
    std::vector<int> values;
    for (size_t i = 0; i < image.bytes().size(); i += 3) values.push_back(image.bytes()[i]);
    return values;
  };
  EXPECT_EQ(red(center_crop(source.view(), {1, 2})), (std::vector{1, 2}));
  EXPECT_EQ(red(center_crop(source.view(), {1, 4})), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(red(center_crop(source.view(), {2, 1})), (std::vector{0, 2}));
}

}  // namespace
}  // namespace portatune::image
