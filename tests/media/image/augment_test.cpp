#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "io/temporary_folder.h"
#include "media/image/golden.h"
#include "media/image/write_png.h"
#include "portatune/media/image/colour.h"
#include "portatune/media/image/random_crop.h"

namespace portatune::image {
namespace {

// Names of the goldens are "kind factor", with the kinds of Pillow's ImageEnhance.
TEST(Colour, EqualsPillow) {
  const auto goldens = io::SafetensorsFile::open(kGoldens / "coloured.safetensors");
  const TensorView source = *goldens.find("source");
  ASSERT_EQ(goldens.entries().size(), 13u);
  for (const auto& entry : goldens.entries()) {
    if (entry.name == "source") continue;
    SCOPED_TRACE(entry.name);
    std::istringstream name(entry.name);
    std::string kind;
    float factor;
    name >> kind >> factor;
    Image image = image_of(source);
    if (kind == "Brightness") change_brightness(image, factor);
    if (kind == "Contrast") change_contrast(image, factor);
    if (kind == "Color") change_saturation(image, factor);
    expect_pixels(image, goldens.view(entry));
  }
}

// Bounds of area and shape include the rounding of a pixel; means are those of torchvision's
// RandomResizedCrop.get_params.
TEST(RandomCrop, HasEightToAHundredPercentInModerateShapes) {
  const Size image = {300, 400};
  double area = 0, shape = 0;
  constexpr int kDraws = 4000;
  for (uint64_t key = 0; key < kDraws; ++key) {
    Draws draws(key);
    const Part part = random_crop(image, draws);
    EXPECT_GE(part.top, 0);
    EXPECT_GE(part.left, 0);
    EXPECT_LE(part.top + part.size.height, 300);
    EXPECT_LE(part.left + part.size.width, 400);
    const double height = static_cast<double>(part.size.height), width = static_cast<double>(part.size.width);
    EXPECT_GT(height * width / 120'000, 0.079);
    EXPECT_GT(width / height, 0.74);
    EXPECT_LT(width / height, 1.35);
    area += height * width / 120'000 / kDraws;
    shape += std::log(width / height) / kDraws;
  }
  EXPECT_NEAR(area, 0.434, 0.012);
  EXPECT_NEAR(shape, 0.031, 0.01);
}

TEST(RandomCrop, OfAStripIsItsMiddle) {
  Draws draws(7);
  const Part part = random_crop({10, 1000}, draws);
  EXPECT_EQ(part.size, (Size{10, 13}));
  EXPECT_EQ(part.left, 493);
}

TEST(RandomCrop, ScalesWithTheImage) {
  const Part part = {.top = 10, .left = 20, .size = {100, 50}};
  const Part half = scaled(part, {200, 301}, {100, 151});
  EXPECT_EQ(half.top, 5);
  EXPECT_EQ(half.left, 10);
  EXPECT_EQ(half.size, (Size{50, 25}));
  EXPECT_EQ(scaled({.top = 199, .left = 300, .size = {1, 1}}, {200, 301}, {25, 38}).size, (Size{1, 1}));
}

class Augment : public testing::Test {
 protected:
  std::vector<float> pixels(uint64_t key, const Augmentation& augmentation, bool reduced = false) const {
    DecodeOptions options;
    if (reduced) options.at_least = [](Size) { return Size{4, 6}; };
    const Tensor result = augment(std::as_bytes(std::span(file_)), "picture", processor_, augmentation, key, options);
    EXPECT_EQ(to_string(result.shape()), "[3, 4, 6]");
    const auto values = result.as<float>();
    return {values.begin(), values.end()};
  }

  const std::string file_ = text_of(kGoldens / "decode" / "444.jpg");
  const Processor processor_{{.size = {4, 6}}};
};

TEST_F(Augment, DependsOnTheKeyAlone) {
  const Augmentation all = {.crop = true, .flip = true, .color = 0.5};
  std::set<std::vector<float>> different;
  for (uint64_t key = 0; key < 20; ++key) {
    EXPECT_EQ(pixels(key, all), pixels(key, all));
    different.insert(pixels(key, all));
  }
  EXPECT_EQ(different.size(), 20u);
}

TEST_F(Augment, WithoutChangesEqualsTheProcessor) {
  const Augmentation none = {.crop = false, .flip = false};
  const Tensor expected = processor_(read(kGoldens / "decode" / "444.jpg").view());
  EXPECT_TRUE(std::ranges::equal(pixels(1, none), expected.as<float>()));
}

TEST_F(Augment, MirrorsHalfOfTheImages) {
  const auto as_it_is = pixels(0, {.crop = false, .flip = false});
  auto mirrored = as_it_is;
  for (size_t row = 0; row < mirrored.size(); row += 6) std::reverse(&mirrored[row], &mirrored[row] + 6);
  int count = 0;
  for (uint64_t key = 0; key < 200; ++key) {
    const auto result = pixels(key, {.crop = false, .flip = true});
    count += result == mirrored;
    EXPECT_TRUE(result == as_it_is || result == mirrored);
  }
  EXPECT_NEAR(count, 100, 25);
}

double mean_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += std::abs(a[i] - b[i]);
  return total / static_cast<double>(a.size());
}

// The result must be much more similar to the same part of the exact image than to another part.
TEST_F(Augment, CropsTheSamePartOfAReducedImage) {
  double same = 0, other = 0;
  for (uint64_t key = 0; key < 20; ++key) {
    const std::vector<float> reduced = pixels(key, {}, true);
    same += mean_difference(reduced, pixels(key, {})) / 20;
    other += mean_difference(reduced, pixels(key + 1, {})) / 20;
  }
  EXPECT_GT(same, 0);
  EXPECT_LT(same, other / 3);
}

}  // namespace
}  // namespace portatune::image
