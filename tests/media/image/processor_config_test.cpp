#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/media.h"

namespace portatune::image {
namespace {

class ReadProcessorConfig : public testing::Test {
 protected:
  ProcessorConfig read(const std::string& json, std::string_view model_type = "vit") const {
    write_text(folder_ / "preprocessor_config.json", json);
    return ProcessorConfig::read(folder_ / "preprocessor_config.json", model_type);
  }
  std::string refusal(const std::string& json, std::string_view model_type = "vit") const {
    return message_of<CheckpointError>([&] { read(json, model_type); });
  }

  TemporaryFolder folder_;
};

TEST_F(ReadProcessorConfig, HasTheDefaultsOfTheKind) {
  const ProcessorConfig vit = read("{}", "vit"), deit = read("{}", "deit");
  EXPECT_EQ(vit.output_size(), (Size{224, 224}));
  EXPECT_EQ(vit.resample, Filter::kBilinear);
  EXPECT_EQ(deit.size, (Size{256, 256}));
  EXPECT_EQ(deit.output_size(), (Size{224, 224}));
  EXPECT_EQ(deit.resample, Filter::kBicubic);
  EXPECT_EQ(deit.mean[0], 0.485);
}

TEST_F(ReadProcessorConfig, AcceptsEarlierNames) {
  for (const std::string name : {"ViTImageProcessor", "ViTImageProcessorFast", "ViTFeatureExtractor"}) {
    EXPECT_EQ(read(R"({"image_processor_type": ")" + name + "\"}", "deit").resample, Filter::kBilinear) << name;
  }
  EXPECT_EQ(read(R"({"feature_extractor_type": "DeiTFeatureExtractor"})").resample, Filter::kBicubic);
}

TEST_F(ReadProcessorConfig, AcceptsThreeFormsOfSizes) {
  EXPECT_EQ(read(R"({"size": 384})").size, (Size{384, 384}));
  EXPECT_EQ(read(R"({"size": [20, 30]})").size, (Size{20, 30}));
  EXPECT_EQ(read(R"({"size": {"height": 20, "width": 30}})").size, (Size{20, 30}));
  EXPECT_EQ(read(R"({"crop_size": 100})").crop_size, (Size{100, 100}));
}

TEST_F(ReadProcessorConfig, KeepsProportionsByTheShortestEdge) {
  const ProcessorConfig config = read(R"({"size": {"shortest_edge": 100}, "do_center_crop": true})");
  EXPECT_EQ(config.resized_size({30, 40}), (Size{100, 133}));
  EXPECT_EQ(config.resized_size({41, 30}), (Size{136, 100}));
  EXPECT_EQ(config.resized_size({50, 50}), (Size{100, 100}));
}

TEST_F(ReadProcessorConfig, RefusesUnknownKindsAndSizes) {
  EXPECT_NE(refusal(R"({"image_processor_type": "CLIPImageProcessor"})").find("CLIPImageProcessor"), std::string::npos);
  EXPECT_NE(refusal("{}", "swin").find("\"swin\""), std::string::npos);
  EXPECT_NE(refusal(R"({"size": {"height": 9, "width": 9, "longest_edge": 9}})").find("size.longest_edge"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"size": {"shortest_edge": 9, "longest_edge": 12}, "do_center_crop": true})").find("longest"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"do_pad": true})").find("do_pad"), std::string::npos);
  EXPECT_NE(refusal(R"({"resample": 6})").find("resample"), std::string::npos);
  EXPECT_NE(refusal(R"({"image_std": [1, 0, 1]})").find("image_std"), std::string::npos);
  EXPECT_NE(refusal(R"({"image_mean": [1, 0]})").find("image_mean"), std::string::npos);
  EXPECT_NE(refusal(R"({"size": {"height": 100000, "width": 9}})").find("height"), std::string::npos);
}

TEST_F(ReadProcessorConfig, RequiresAFixedSize) {
  EXPECT_NE(refusal(R"({"size": {"shortest_edge": 100}})").find("shortest_edge and no do_center_crop"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"do_resize": false})").find("neither do_resize nor do_center_crop"), std::string::npos);
}

}  // namespace
}  // namespace portatune::image
