#include "portatune/train/finite.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::train {

bool is_finite(const TensorView& tensor) {
  const auto finite = [](float x) { return std::isfinite(x); };
  if (tensor.type.dtype == DType::kFloat32) return std::ranges::all_of(tensor.as<float>(), finite);
  return !is_float(tensor.type.dtype) || std::ranges::all_of(to_floats(tensor), finite);
}

void require_finite(const std::string& where, std::span<const NamedTensorView> weights) {
  for (const NamedTensorView& weight : weights) {
    if (is_finite(weight.view)) continue;
    throw NumericError({.where = where,
                        .given = "non-finite weights, the first in " + weight.name,
                        .expected = "finite numbers",
                        .fix = kAdviceOnTraining});
  }
}

std::string not_finite_in(double loss_sum, const data::Example& outputs) {
  for (const data::Example::Entry& output : outputs.columns()) {
    if (!is_finite(std::get<Tensor>(output.value).view()))
      return "\"" + output.name + "\" with nan or infinite elements";
  }
  return std::isfinite(loss_sum) ? std::string() : "loss " + to_text(loss_sum);
}

}  // namespace portatune::train
