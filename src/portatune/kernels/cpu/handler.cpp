#include "portatune/kernels/cpu/handler.h"

#include <string>

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

void require(bool condition, const char* expected) {
  if (!condition) {
    throw ShapeError({.where = "CPU kernel", .given = "operands of other shapes or types", .expected = expected});
  }
}

void require_like(const ffi::AnyBuffer& buffer, const ffi::AnyBuffer& x, const char* expected) {
  require(buffer.element_type() == x.element_type() && size_of(buffer) == size_of(x), expected);
}

}  // namespace portatune::kernels
