#include "portune/train/finite.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "portune/error.h"

namespace portune::train {
namespace {

constexpr const char* kAdvice = "lower the learning rate, or add warm-up steps";

}  // namespace

bool is_finite(const TensorView& tensor) {
  const auto finite = [](float x) { return std::isfinite(x); };
  if (tensor.type.dtype == DType::kFloat32) return std::ranges::all_of(tensor.as<float>(), finite);
  return !is_float(tensor.type.dtype) || std::ranges::all_of(to_floats(tensor), finite);
}

void require_finite(const std::string& where, std::span<const NamedTensorView> weights) {
  for (const NamedTensorView& weight : weights) {
    if (is_finite(weight.view)) continue;
    throw NumericError({.where = where,
                        .given = "weights that are not finite, the first in " + weight.name,
                        .expected = "finite numbers",
                        .fix = kAdvice});
  }
}

void require_finite(const data::Example& batch, double loss_sum, const data::Example& outputs, bool trained) {
  std::string given;
  if (!std::isfinite(loss_sum)) given = "loss " + std::to_string(loss_sum);
  for (const data::Example::Entry& output : outputs.columns()) {
    if (given.empty() && !is_finite(std::get<Tensor>(output.value).view())) {
      given = "\"" + output.name + "\" that are not finite";
    }
  }
  if (given.empty()) return;
  throw NumericError({.where = "evaluation",
                      .given = given + " in the batch that begins at " + to_string(batch.origin()),
                      .expected = "finite numbers",
                      .fix = trained ? kAdvice : ""});
}

}  // namespace portune::train
