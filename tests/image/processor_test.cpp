#include <gtest/gtest.h>

#include "image/golden.h"

namespace portune::image {
namespace {

// Bit for bit: the same bytes, and float32 operations in the same order.
TEST(Processor, ComputesWhatTransformersComputes) {
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

}  // namespace
}  // namespace portune::image
