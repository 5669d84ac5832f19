#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "media/image/golden.h"
#include "portatune/error.h"

namespace portatune::image {
namespace {

// Results are equal bit for bit: the same bytes, and float32 operations in the same order.
TEST(Processor, EqualsTransformers) {
  const Image source = image_of(*io::SafetensorsFile::open(kGoldens / "resized.safetensors").find("source"));
  const auto goldens = io::SafetensorsFile::open(kGoldens / "processed.safetensors");
  ASSERT_EQ(goldens.entries().size(), 8u);
  for (const auto& entry : goldens.entries()) {
    SCOPED_TRACE(entry.name);
    const auto config = ProcessorConfig::read(kGoldens / "processors" / (entry.name + ".json"), "");
    const Tensor pixel_values = Processor(config)(source.view());
    const TensorView expected = goldens.view(entry);
    ASSERT_EQ(to_string(pixel_values.shape()), to_string(expected.type.shape));
    EXPECT_EQ(config.output_size(), (Size{expected.type.shape[1], expected.type.shape[2]}));
    EXPECT_TRUE(std::ranges::equal(pixel_values.as<float>(), to_floats(expected)));
  }
}

// The enlarged image would take 12 GB.
TEST(Processor, RefusesToEnlargeANarrowImageTooMuch) {
  const Processor processor({.shortest_edge = 256, .do_center_crop = true});
  const Image narrow({65500, 1});
  const std::string message = message_of<DataError>([&] { processor(narrow.view(), "photos/narrow.png"); });
  EXPECT_NE(message.find("photos/narrow.png"), message.npos) << message;
  EXPECT_NE(message.find("1 x 65500 pixels, which shortest_edge enlarges to 256 x 16768000 pixels"), message.npos)
      << message;
  EXPECT_EQ(processor.resize_and_crop(Image({1000, 4}).view()).size(), (Size{224, 224}));
}

}  // namespace
}  // namespace portatune::image
