#include "portatune/models/grow/layer_origins.h"

namespace portatune::grow {

std::vector<LayerOrigin> layer_origins(Depth depth, int64_t from, int64_t to) {
  std::vector<LayerOrigin> origins;
  for (int64_t i = 0; i < to; ++i) {
    const int64_t layer = depth == Depth::kInterpolate ? i * from / to : i % from;
    origins.push_back({layer, depth == Depth::kZero && i >= from});
  }
  return origins;
}

}  // namespace portatune::grow
