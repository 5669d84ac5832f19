// Arrays of NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "portatune/tensor.h"

namespace portatune::python {

/// An array of another library in host memory.
using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

/// An array of NumPy that owns the elements of the tensor. bfloat16, which NumPy lacks, becomes float32.
nanobind::object to_numpy(Tensor tensor);

/// A copy of the elements.
/// errors  UsageError for an element type that tensors do not have
Tensor to_tensor(const Array& array);

}  // namespace portatune::python
