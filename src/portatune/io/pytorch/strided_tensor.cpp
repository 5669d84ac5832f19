#include "portatune/io/pytorch/strided_tensor.h"

#include <algorithm>
#include <cstring>

namespace portatune::io {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 59;  // of 8 bytes each

// Copies the elements of one axis and of those inside of it. Returns the end of the copy.
std::byte* copy_axis(const StridedTensor& from, int64_t axis, const std::byte* data, std::byte* to) {
  const int64_t element = size_of(from.type.dtype);
  if (axis == from.type.shape.rank()) {
    std::memcpy(to, data, static_cast<size_t>(element));
    return to + element;
  }
  const int64_t size = from.type.shape[axis];
  // The stride of an axis of one element is not used, and may be any number.
  const int64_t stride = size <= 1 ? 0 : from.strides[static_cast<size_t>(axis)] * element;
  for (int64_t i = 0; i < size; ++i) to = copy_axis(from, axis + 1, data + i * stride, to);
  return to;
}

}  // namespace

std::optional<int64_t> extent_of(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset) {
  int64_t elements = 1, last = offset;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    const int64_t size = std::max<int64_t>(shape[axis], 1);  // 0 would hide that the other sizes are too large
    int64_t distance;
    if (__builtin_mul_overflow(elements, size, &elements) || elements > kMaxElements ||
        __builtin_mul_overflow(size - 1, strides[static_cast<size_t>(axis)], &distance) ||
        __builtin_add_overflow(last, distance, &last)) {
      return std::nullopt;
    }
  }
  if (last >= kMaxElements) return std::nullopt;
  return shape.elements() == 0 ? 0 : last + 1;
}

bool is_contiguous(const StridedTensor& tensor) {
  const Shape& shape = tensor.type.shape;
  if (shape.elements() == 0) return true;
  int64_t expected = 1;
  for (int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    // The stride of an axis of size 1 has no effect.
    if (shape[axis] != 1 && tensor.strides[static_cast<size_t>(axis)] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

Tensor gather(const StridedTensor& tensor) {
  Tensor copy(tensor.type);
  copy_axis(tensor, 0, tensor.data, copy.data());
  return copy;
}

}  // namespace portatune::io
