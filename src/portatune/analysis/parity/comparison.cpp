#include "portatune/analysis/parity/comparison.h"

#include <algorithm>
#include <cmath>

#include "portatune/error.h"

namespace portatune::parity {
namespace {

double largest(const Tensor& values) {
  double result = 0;
  for (const float value : values.as<float>()) result = std::max(result, std::abs(static_cast<double>(value)));
  return result;
}

// The record as a whole tensor with the shape of `found`. A single number may have any rank: a loss is [] or [1].
Tensor dense(const Recorded& recorded, const Shape& shape) {
  Tensor whole(TensorType{DType::kFloat32, shape});
  const std::span<const float> values = recorded.values.as<float>();
  const bool is_number = recorded.values.shape().elements() == 1 && shape.elements() == 1;
  bool fits = recorded.values.shape() == shape || is_number;
  if (fits) {
    std::ranges::copy(values, whole.as<float>().begin());
  } else if (recorded.sparse && shape.rank() == 2) {
    const size_t width = static_cast<size_t>(shape[1]);
    fits = values.size() == recorded.rows.size() * width;
    for (size_t i = 0; fits && i < recorded.rows.size(); ++i) {
      fits = recorded.rows[i] >= 0 && recorded.rows[i] < shape[0];
      if (!fits) break;
      std::ranges::copy(values.subspan(i * width, width),
                        whole.as<float>().begin() + recorded.rows[i] * static_cast<int64_t>(width));
    }
  }
  if (fits) return whole;
  throw CheckpointError({.where = recorded.place,
                         .given = "shape " + to_string(recorded.values.shape()),
                         .expected = to_string(shape) + ", the shape that Portatune computes"});
}

}  // namespace

double allowed_error(const Recorded& recorded, DType dtype) {
  const double scale = std::max(1.0, largest(recorded.values));
  return dtype == DType::kFloat32 ? std::max(10 * recorded.torch_difference, 2e-5 * scale) : 2e-2 * scale;
}

Comparison compare(const std::string& kind, const std::string& name, const Tensor& found, const Recorded& recorded,
                   double allowed, const std::function<bool(int64_t)>& counts) {
  const Tensor wanted = dense(recorded, found.shape());
  if (!std::isfinite(allowed)) {
    throw CheckpointError({.where = recorded.place, .given = "non-finite numbers", .expected = "finite numbers"});
  }
  Comparison result{.kind = kind, .tensor = name, .shape = found.shape(), .allowed = allowed};
  for (int64_t i = 0; i < found.shape().elements(); ++i) {
    if (counts && !counts(i)) continue;
    const size_t k = static_cast<size_t>(i);
    const double error = std::abs(static_cast<double>(found.as<float>()[k]) - wanted.as<float>()[k]);
    result.strays += !(error <= allowed);  // true for NaN
    if (!(error <= result.max_abs_error)) result.max_abs_error = error;
    if (std::isnan(error)) break;
  }
  result.max_rel_error = result.max_abs_error / std::max(largest(wanted), 1e-30);
  result.passed = result.strays == 0;
  return result;
}

Comparison compare_updated(const std::string& kind, const std::string& name, const Tensor& found,
                           const Recorded& recorded, double learning_rate, bool is_noise) {
  const double furthest = 5 * learning_rate;
  if (is_noise) return compare(kind, name, found, recorded, furthest);
  Comparison result = compare(kind, name, found, recorded, allowed_error(recorded, DType::kFloat32));
  const int64_t few = std::max<int64_t>(2, found.shape().elements() / 200);
  result.passed = result.strays == 0 || (result.strays <= few && result.max_abs_error <= furthest);
  return result;
}

}  // namespace portatune::parity
