#include "portatune/models/grow/layer_origins.h"

#include <gmock/gmock.h>

namespace portatune::grow {
namespace {

std::vector<int64_t> layers(Depth depth, int64_t from, int64_t to) {
  std::vector<int64_t> layers;
  for (const LayerOrigin& origin : layer_origins(depth, from, to)) layers.push_back(origin.layer);
  return layers;
}

TEST(LayerOrigins, StackRepeatsAllLayers) {
  EXPECT_THAT(layers(Depth::kStack, 3, 8), testing::ElementsAre(0, 1, 2, 0, 1, 2, 0, 1));
}

TEST(LayerOrigins, InterpolateRepeatsEachLayer) {
  EXPECT_THAT(layers(Depth::kInterpolate, 2, 4), testing::ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(layers(Depth::kInterpolate, 3, 8), testing::ElementsAre(0, 0, 0, 1, 1, 1, 2, 2));
}

TEST(LayerOrigins, OnlyAdditionalLayersOfZeroAreSilent) {
  std::vector<bool> silent;
  for (const LayerOrigin& origin : layer_origins(Depth::kZero, 2, 4)) silent.push_back(origin.is_silent);
  EXPECT_THAT(layers(Depth::kZero, 2, 4), testing::ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(silent, testing::ElementsAre(false, false, true, true));
}

}  // namespace
}  // namespace portatune::grow
