// Tensors as PyTorch describes them: a view of a storage with a stride for each axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "portatune/tensor.h"

namespace portatune::io {

/// A tensor whose elements may lie apart, in another order, or several times in the same memory.
struct StridedTensor {
  TensorType type;
  std::vector<int64_t> strides;     ///< distance of neighbours on each axis, in elements
  const std::byte* data = nullptr;  ///< the first element
};

/// Number of elements that a storage needs for a tensor that begins at its element `offset`. All arguments are at least
/// 0, and there is a stride for each size. Empty if the number of elements or the result does not fit into 63 bits even
/// in bytes.
std::optional<int64_t> extent_of(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset);

/// Returns whether the elements follow each other in row-major order.
bool is_contiguous(const StridedTensor& tensor);
/// A row-major copy.
Tensor gather(const StridedTensor& tensor);

}  // namespace portatune::io
