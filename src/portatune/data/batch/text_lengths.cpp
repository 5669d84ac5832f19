#include "portatune/data/batch/text_lengths.h"

#include <algorithm>

namespace portatune::data {

TextLengths text_lengths(const Tensor& mask) {
  const Shape& shape = mask.shape();
  const int64_t width = shape[shape.rank() - 1];
  int64_t texts = 1;
  for (int64_t axis = 0; axis + 1 < shape.rank(); ++axis) texts *= shape[axis];
  TextLengths lengths;
  for (int64_t text = 0; text < texts; ++text) {
    const auto positions = mask.as<int32_t>().subspan(static_cast<size_t>(text * width), static_cast<size_t>(width));
    lengths.push_back(width - std::ranges::count(positions, 0));
  }
  return lengths;
}

}  // namespace portatune::data
