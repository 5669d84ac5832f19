#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/limited_memory.h"
#include "io/temporary_folder.h"
#include "media/image/golden.h"
#include "media/image/write_png.h"
#include "portatune/error.h"

namespace portatune::image {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& name, const DecodeOptions& options = {}) {
  return message_of<DataError>([&] { read(kGoldens / "damaged" / name, options); });
}

Image decode_text(const std::string& text, const DecodeOptions& options = {}) {
  return decode(std::as_bytes(std::span(text)), "picture", options);
}

TEST(Decode, EqualsPillow) {
  const auto goldens = io::SafetensorsFile::open(kGoldens / "decoded.safetensors");
  ASSERT_EQ(goldens.entries().size(), 52u);
  for (const auto& entry : goldens.entries()) {
    SCOPED_TRACE(entry.name);
    expect_pixels(read(kGoldens / "decode" / entry.name), goldens.view(entry));
  }
}

TEST(Decode, RecognisesFormatsByContent) {
  const TemporaryFolder folder;
  fs::copy_file(kGoldens / "decode" / "rgb.png", folder / "picture.jpg");
  EXPECT_EQ(read(folder / "picture.jpg").size(), (Size{17, 23}));
}

TEST(Decode, ErrorNamesATruncatedFileAndItsEnd) {
  for (const std::string name : {"cut_short.jpg", "without_end_marker.jpg", "progressive_cut_short.jpg",
                                 "header_only.jpg", "cut_short.png", "cut_short.webp"}) {
    const std::string message = refusal(name);
    const auto bytes = fs::file_size(kGoldens / "damaged" / name);
    EXPECT_NE(message.find(name), message.npos) << message;
    EXPECT_NE(message.find("ends after " + std::to_string(bytes) + " bytes"), message.npos) << message;
  }
}

TEST(Decode, DetectsEveryTruncation) {
  for (const std::string name : {"420.jpg", "progressive.jpg", "rgb.png", "lossless.webp", "lossy.webp"}) {
    const std::string whole = text_of(kGoldens / "decode" / name);
    const size_t last = name == "rgb.png" ? whole.size() - 16 : whole.size() - 1;  // only the end chunk follows
    for (size_t length = 0; length < last; ++length) {
      EXPECT_THROW(decode_text(whole.substr(0, length)), DataError) << name << " of " << length << " bytes";
    }
  }
}

TEST(Decode, RefusesDamage) {
  EXPECT_NE(refusal("wrong_checksum.png").find("damaged PNG file: "), std::string::npos);
  std::string webp = text_of(kGoldens / "decode" / "lossless.webp");
  webp[22] ^= 0x7f;
  EXPECT_THROW(decode_text(webp), DataError);
}

TEST(Decode, RefusesManyPixelsBeforeTheAllocation) {
  for (const std::string name : {"huge.jpg", "huge.png"}) {
    const std::string message = refusal(name);
    EXPECT_NE(message.find("an image of 65500 x 65500 pixels"), message.npos) << message;
    EXPECT_NE(message.find("at most 89478485 pixels in all"), message.npos) << message;
  }
  if (kMemoryCanBeLimited) {
    const auto refuse = [] { return !refusal("huge.jpg").empty() && !refusal("huge.png").empty(); };
    EXPECT_EXIT(exit_after(64 << 20, refuse), testing::ExitedWithCode(0), "");
  }
  const fs::path picture = kGoldens / "decode" / "lossy.webp";
  EXPECT_EQ(read(picture, {.max_pixels = 17 * 23}).size(), (Size{17, 23}));
  EXPECT_THROW(read(picture, {.max_pixels = 17 * 23 - 1}), DataError);
}

TEST(Decode, RefusesALongSideWithFewPixels) {
  const TemporaryFolder folder;
  for (const Size size : {Size{1, 65'536}, Size{65'536, 1}}) {
    write_png(folder / "long.png", Image(size));
    const std::string message = message_of<DataError>([&] { read(folder / "long.png"); });
    EXPECT_NE(message.find("an image of " + to_string(size)), message.npos) << message;
    EXPECT_NE(message.find("at most 65535 pixels on each side"), message.npos) << message;
  }
  write_png(folder / "long.png", Image({1, 65'535}));
  EXPECT_EQ(read(folder / "long.png").size(), (Size{1, 65'535}));
}

// The size is within the limit, but much larger than the file's content.
TEST(Decode, RefusesAFileThatDeclaresMoreThanItHas) {
  std::string file = text_of(kGoldens / "damaged" / "huge.jpg");
  const size_t frame = file.find("\xFF\xC0") + 5;
  file.replace(frame, 4, "\x20\x01\x20\x01");
  const std::string message = message_of<DataError>([&] { decode_text(file.substr(0, file.size() - 2)); });
  EXPECT_NE(message.find("ends after"), message.npos) << message;
}

TEST(Decode, RefusesManyScans) {
  std::string file = text_of(kGoldens / "decode" / "gray_progressive.jpg");
  const size_t scan = file.rfind("\xFF\xDA");
  const std::string last = file.substr(scan, file.size() - 2 - scan);
  file.resize(file.size() - 2);
  for (int i = 0; i < 100; ++i) file += last;
  const std::string message = message_of<DataError>([&] { decode_text(file + "\xFF\xD9"); });
  EXPECT_NE(message.find("more than 100 scans"), message.npos) << message;
}

TEST(Decode, NamesUnsupportedFormats) {
  EXPECT_NE(refusal("picture.gif").find("a GIF file"), std::string::npos);
  EXPECT_NE(refusal("text.jpg").find("not an image, or of an unknown kind"), std::string::npos);
  EXPECT_NE(refusal("empty.png").find("an empty file"), std::string::npos);
  EXPECT_THROW(read(kGoldens / "missing.jpg"), NotFoundError);
}

TEST(Decode, ReducesJpegsToNoLessThanTheMinimum) {
  const fs::path file = kGoldens / "decode" / "420.jpg";  // 23 x 17
  EXPECT_EQ(read(file, {.at_least = [](Size) { return Size{8, 11}; }}).size(), (Size{9, 12}));
  EXPECT_EQ(read(file, {.at_least = [](Size) { return Size{9, 11}; }}).size(), (Size{17, 23}));
  EXPECT_EQ(read(file, {.at_least = [](Size) { return Size{1, 1}; }}).size(), (Size{3, 3}));
  EXPECT_EQ(read(kGoldens / "decode" / "rgb.png", {.at_least =
                                                       [](Size) {
                                                         return Size{1, 1};
                                                       }})
                .size(),
            (Size{17, 23}));
}

// The limit applies to the upright sides; the file has 5 x 3 pixels.
TEST(Decode, ReducesBeforeItTurns) {
  EXPECT_EQ(read(kGoldens / "decode" / "orientation_6.jpg", {.at_least =
                                                                 [](Size) {
                                                                   return Size{2, 1};
                                                                 }})
                .size(),
            (Size{3, 2}));
  EXPECT_EQ(read(kGoldens / "decode" / "orientation_6.jpg", {.at_least =
                                                                 [](Size) {
                                                                   return Size{1, 2};
                                                                 }})
                .size(),
            (Size{5, 3}));
}

// Photographs and odd files of the Pillow project, with the errors of Pillow.
TEST(Decode, AgreesWithPillowOnOddFiles) {
  const char* data = std::getenv("PORTATUNE_SHARED_DATA");
  if (data == nullptr) GTEST_SKIP() << "PORTATUNE_SHARED_DATA is not set";
  const fs::path folder = fs::path(data) / "images" / "odd_jpeg";
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "decoded_by_pillow.json"));
  for (const auto& [name, of_pillow] : expected.items()) {
    SCOPED_TRACE(name);
    if (of_pillow.contains("error")) {
      EXPECT_THROW(read(folder / name), DataError);
      continue;
    }
    const Image image = read(folder / name);
    const std::vector<int64_t> size = of_pillow["size_after_exif_transpose"];
    EXPECT_EQ(image.size(), (Size{size[1], size[0]}));
    for (size_t colour = 0; colour < 3; ++colour) {
      double total = 0;
      for (size_t i = colour; i < image.bytes().size(); i += 3) total += image.bytes()[i];
      const double mean = total * 3 / static_cast<double>(image.bytes().size());
      EXPECT_NEAR(mean, of_pillow["rgb_mean"][colour].get<double>(), 0.001);
    }
  }
}

}  // namespace
}  // namespace portatune::image
