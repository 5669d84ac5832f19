// The expectation that a model equals transformers.
#pragma once

#include <gtest/gtest.h>

#include "portatune/analysis/parity/parity.h"

namespace portatune::test {

inline void expect_passed(const parity::ParityResult& result) {
  for (const parity::Comparison& c : result.comparisons) {
    EXPECT_TRUE(c.passed) << c.kind << " " << c.tensor << " " << to_string(c.shape) << ": largest error "
                          << c.max_abs_error << ", allowed " << c.allowed << ", " << c.strays << " elements beyond";
  }
}

}  // namespace portatune::test
