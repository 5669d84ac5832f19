// Comparison of a computed tensor with that of transformers.
#pragma once

#include <functional>
#include <string>

#include "portatune/analysis/parity/reference_case.h"

namespace portatune::parity {

/// The verdict on one tensor.
struct Comparison {
  std::string kind;  ///< "output", "gradient", "after 5 steps", "generated"
  std::string tensor;
  Shape shape;
  double max_abs_error = 0;
  double max_rel_error = 0;  ///< max_abs_error over the largest expected element
  double allowed = 0;        ///< maximum of max_abs_error, except for `strays`
  int64_t strays = 0;        ///< number of elements beyond it; a few are allowed after optimizer steps
  bool passed = false;
};

/// Maximal error of an element: 10 times torch's own float32 error, at least 2e-5 of the largest element; for bfloat16
/// and float16 2e-2 of the largest element.
double allowed_error(const Recorded& recorded, DType dtype);

/// Compares the elements of `found` for which `counts` is true (by flat index; absent: all) with the recorded ones. A
/// sparse record expects zeros in the other rows.
/// errors  CheckpointError if the shapes differ
Comparison compare(const std::string& kind, const std::string& name, const Tensor& found, const Recorded& recorded,
                   double allowed, const std::function<bool(int64_t)>& counts = {});

/// compare() for a parameter after optimizer steps: up to 0.5 % of the elements, at least 2, may differ by 5 times the
/// learning rate. All may if the gradient is noise, which Adam amplifies to lr per step.
Comparison compare_updated(const std::string& kind, const std::string& name, const Tensor& found,
                           const Recorded& recorded, double learning_rate, bool is_noise);

}  // namespace portatune::parity
