#include "portatune/kernels/cpu/handler.h"

namespace portatune::kernels {

DType dtype_of(const ffi::AnyBuffer& buffer) {
  switch (buffer.element_type()) {
    case ffi::F32:
      return DType::kFloat32;
    case ffi::BF16:
      return DType::kBFloat16;
    case ffi::S32:
      return DType::kInt32;
    case ffi::U32:
      return DType::kUInt32;
    default:
      throw UsageError({.where = "CPU kernel",
                        .given = "element type " + std::to_string(static_cast<int>(buffer.element_type())) + " of XLA",
                        .expected = "float32, bfloat16, int32 or uint32"});
  }
}

int64_t last_size(const ffi::AnyBuffer& buffer) {
  const auto sizes = buffer.dimensions();
  return sizes.size() == 0 ? 1 : sizes.back();
}

int64_t leading_size(const ffi::AnyBuffer& buffer) {
  const auto sizes = buffer.dimensions();
  int64_t product = 1;
  for (size_t axis = 0; axis + 1 < sizes.size(); ++axis) product *= sizes[axis];
  return product;
}

void require(bool condition, const char* target, const char* expected) {
  if (!condition)
    throw ShapeError({.where = target, .given = "operands of other shapes or types", .expected = expected});
}

void require_array(const ffi::AnyBuffer& buffer, DType type, int64_t size, const char* target, const char* expected) {
  require(dtype_of(buffer) == type && static_cast<int64_t>(buffer.element_count()) == size, target, expected);
}

}  // namespace portatune::kernels
