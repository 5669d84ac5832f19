// Evaluation of small graphs on the CPU, and checks of gradients.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "portatune/device.h"
#include "portatune/ops.h"

namespace portatune::test {

/// The cache of compiled programs of all tests, so that each program is compiled once on a machine.
std::filesystem::path program_cache();

/// The CPU, with composites as decompositions, or with this machine's kernels.
const Device& decompositions();
const Device& kernels();

/// The values of the results for these values of the parameters.
std::vector<Tensor> evaluate(const Values& results, const Values& parameters = {},
                             const std::vector<Tensor>& inputs = {}, const Device& device = decompositions());
/// All elements of one result, as doubles.
std::vector<double> elements(const Value& result);

/// An array of random numbers in [-1, 1), the same in every run with the same `seed`.
Tensor random(const TensorType& type, uint32_t seed = 1);
/// The same in float64, for central differences.
Tensor random(const Shape& shape, uint32_t seed = 1);

using Differentiable = std::function<Value(const Values&)>;

struct GradientCheck {
  double step = 1e-5;       ///< step of the central differences
  double tolerance = 1e-6;  ///< maximal difference, relative to the largest gradient
};
/// Expects the gradients of sum(w f(x)), with random w, to agree with central differences for every element of x.
void check_gradient(const Differentiable& f, const std::vector<Tensor>& x, GradientCheck check = {});

/// Expects the same values and gradients of `f` with this machine's kernels and with decompositions. `tolerance` is
/// relative to the largest element. Skips the test if the machine lacks a kernel.
void check_kernel(const std::vector<std::string>& kernels, const Differentiable& f, const std::vector<Tensor>& x,
                  double tolerance);

/// Expects a ShapeError whose message has all of `parts`.
void expect_shape_error(const std::function<void()>& build, const std::vector<std::string>& parts);

}  // namespace portatune::test
