#include "portatune/python/arrays.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "portatune/error.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

using Code = nb::dlpack::dtype_code;

struct Known {
  DType dtype;
  Code code;
};
// NumPy has no bfloat16.
constexpr std::array kKnown = {
    Known{DType::kBool, Code::Bool},     Known{DType::kInt8, Code::Int},      Known{DType::kUInt8, Code::UInt},
    Known{DType::kInt16, Code::Int},     Known{DType::kInt32, Code::Int},     Known{DType::kUInt32, Code::UInt},
    Known{DType::kInt64, Code::Int},     Known{DType::kUInt64, Code::UInt},   Known{DType::kFloat16, Code::Float},
    Known{DType::kFloat32, Code::Float}, Known{DType::kFloat64, Code::Float},
};

nb::dlpack::dtype dtype_of(DType dtype) {
  const auto* const known = std::ranges::find(kKnown, dtype, &Known::dtype);
  return {static_cast<uint8_t>(known->code), static_cast<uint8_t>(8 * size_of(dtype)), 1};
}

DType dtype_of(const nb::dlpack::dtype& given) {
  const auto* const known =
      std::ranges::find_if(kKnown, [&](const Known& one) { return dtype_of(one.dtype) == given; });
  if (known != kKnown.end()) return known->dtype;
  throw UsageError({.where = "an array",
                    .given = "elements of an unsupported type of " + std::to_string(given.bits) + " bits",
                    .expected = "bool, int8 to int64, uint8, uint32, uint64, float16, float32 or float64"});
}

}  // namespace

nb::object to_numpy(Tensor tensor) {
  if (tensor.dtype() == DType::kBFloat16) {
    tensor = Tensor(tensor.shape(), std::span<const float>(to_floats(tensor.view())));
  }
  auto owned = std::make_unique<Tensor>(std::move(tensor));
  const std::vector<size_t> shape(owned->shape().begin(), owned->shape().end());
  std::byte* const data = owned->data();
  const nb::dlpack::dtype dtype = dtype_of(owned->dtype());
  const nb::capsule owner(owned.release(), [](void* one) noexcept { delete static_cast<Tensor*>(one); });
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, dtype));
}

Tensor to_tensor(const Array& array) {
  std::vector<int64_t> sizes;
  for (size_t axis = 0; axis < array.ndim(); ++axis) sizes.push_back(static_cast<int64_t>(array.shape(axis)));
  Tensor tensor(TensorType{dtype_of(array.dtype()), Shape(std::move(sizes))});
  if (array.nbytes() > 0) std::memcpy(tensor.data(), array.data(), array.nbytes());
  return tensor;
}

}  // namespace portatune::python
