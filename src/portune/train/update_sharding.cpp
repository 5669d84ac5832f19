#include "portune/train/update_sharding.h"

namespace portune::train {

Sharding update_sharding(const nn::Parameter& parameter, const Mesh& mesh) {
  const Sharding& held = parameter.sharding;
  const Shape& shape = parameter.input.shape();  // of what each of those along data holds
  if (mesh.data == 1 || shape.rank() < 2) return held;
  const bool is_whole = held.over.empty();
  const int64_t first = is_whole ? 0 : held.axis, last = is_whole ? shape.rank() - 1 : held.axis;
  for (int64_t axis = first; axis <= last; ++axis) {
    if (shape[axis] % mesh.data != 0) continue;
    Sharding divided{.axis = axis, .over = held.over, .blocks = held.blocks};
    divided.over.push_back(MeshAxis::kData);
    return divided;
  }
  return held;
}

}  // namespace portune::train
