// What the products of few rows have in common.
#pragma once

#include <cstdint>

namespace portatune::kernels {

constexpr int64_t kLanes = 16;
constexpr int64_t kPieceBytes = 128 << 10;  // bytes of weight per piece of work

// A vector type of the compiler, which uses one or several registers, depending on the machine.
using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));

}  // namespace portatune::kernels
