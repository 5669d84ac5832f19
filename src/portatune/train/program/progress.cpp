#include "portatune/train/program/progress.h"

#include <cmath>
#include <limits>

namespace portatune::train {
namespace {

Value scalar(DType dtype, double value) { return full({dtype, {}}, value); }
Value count(double value) { return scalar(DType::kInt32, value); }

Value counter(const ProgressValues& progress, int64_t i) {
  return reshape(slice(progress.counters, 0, {i, i + 1}), {});
}

Value is_finite(const Value& x) {
  return compare(Direction::kLess, abs(x), full(x.type(), std::numeric_limits<double>::infinity()));
}

}  // namespace

Progress first_progress(DType compute_dtype) {
  return {.loss_scale = compute_dtype == DType::kFloat16 ? kFirstLossScale : 1};
}

std::vector<DeviceArray> put(const Device& device, const Progress& progress) {
  std::vector<DeviceArray> arrays;
  arrays.push_back(
      device.put(Tensor({3}, {static_cast<int32_t>(progress.updates), static_cast<int32_t>(progress.good_steps),
                              static_cast<int32_t>(progress.void_steps)})));
  arrays.push_back(device.put(Tensor({}, {static_cast<float>(progress.loss_scale)})));
  return arrays;
}

Progress progress_of(const std::vector<DeviceArray>& arrays) {
  const Tensor counters = arrays.at(0).to_host();
  return {.updates = counters.as<int32_t>()[0],
          .good_steps = counters.as<int32_t>()[1],
          .void_steps = counters.as<int32_t>()[2],
          .loss_scale = arrays.at(1).to_host().as<float>()[0]};
}

ProgressValues progress_parameters() {
  return {parameter("counters", {DType::kInt32, {3}}), parameter("loss_scale", {DType::kFloat32, {}})};
}

Value updates_before(const ProgressValues& progress) { return convert(counter(progress, 0), DType::kFloat32); }

Verdict judge(const ProgressValues& now, const Value& loss, const Value& norm, DType compute_dtype, OnNonFinite then) {
  const Value updates = counter(now, 0), good_steps = counter(now, 1), void_steps = counter(now, 2);
  const Value one = count(1), zero = count(0);
  const Value minimum_scale = scalar(DType::kFloat32, 1);

  const Value had_ended = compare(Direction::kNotEqual, void_steps, zero);
  const Value finite = bitwise_and(is_finite(loss), is_finite(norm));
  Value ends = had_ended;
  if (then != OnNonFinite::kSkip) {
    const Value can_scale_down =
        bitwise_and(is_finite(loss), compare(Direction::kGreater, now.loss_scale, minimum_scale));
    ends = bitwise_or(had_ended, logical_not(bitwise_or(finite, can_scale_down)));
  }
  const Value makes_update = bitwise_and(finite, logical_not(had_ended));

  Value next_good_steps = good_steps, next_scale = now.loss_scale;
  if (compute_dtype == DType::kFloat16) {
    const Value grown = compare(Direction::kEqual, good_steps + one, count(static_cast<double>(kGrowthInterval)));
    const Value maximum_scale = scalar(DType::kFloat32, 0x1p127);  // twice this is infinite
    const Value after_good = select(grown, minimum(now.loss_scale * 2.0, maximum_scale), now.loss_scale);
    const Value after_bad = maximum(now.loss_scale * 0.5, minimum_scale);
    next_good_steps = select(ends, good_steps, select(finite, select(grown, zero, good_steps + one), zero));
    next_scale = select(ends, now.loss_scale, select(finite, after_good, after_bad));
  }
  const Value next_updates = updates + convert(makes_update, DType::kInt32);
  const auto row = [](const Value& x) { return reshape(x, {1}); };
  return {.makes_update = convert(makes_update, DType::kFloat32),
          .updates = convert(updates + one, DType::kFloat32),
          .ended = had_ended,
          .next = {
              concatenate({row(next_updates), row(next_good_steps), row(void_steps + convert(ends, DType::kInt32))}, 0),
              next_scale}};
}

bool can_scale_down(const StepResult& result) {
  return result.skipped() && std::isfinite(result.loss()) && result.loss_scale() > 1;
}

bool ends_training(const StepResult& result, OnNonFinite then) {
  return then != OnNonFinite::kSkip && result.skipped() && !can_scale_down(result);
}

}  // namespace portatune::train
