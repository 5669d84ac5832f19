// Metrics that a function of Python computes.
#pragma once

#include <nanobind/nanobind.h>

#include "portatune/python/calling_thread.h"

namespace portatune::python {

/// While an object lives, the evaluations of its thread have the scores of a Python function as well, which gets all
/// batches of an evaluation: compute([(logits, labels, weights), ...]) returns a dict of scores. Each of the three is
/// (bytes, name of the dtype, shape), where bytes of logits are float32; weights are None if all rows count.
class ComputedMetrics {
 public:
  /// compute  the function; None: there is none
  /// Both must outlive this object.
  ComputedMetrics(const nanobind::object& compute, CallingThread& caller);
  ~ComputedMetrics();
  ComputedMetrics(const ComputedMetrics&) = delete;
  ComputedMetrics& operator=(const ComputedMetrics&) = delete;
};

}  // namespace portatune::python
