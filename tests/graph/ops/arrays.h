// Arrays for tests of ops.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "portatune/graph.h"
#include "portatune/ops.h"

namespace portatune::test {

inline Value f64(std::initializer_list<double> values) {
  return constant(Tensor({static_cast<int64_t>(values.size())}, values));
}

}  // namespace portatune::test
