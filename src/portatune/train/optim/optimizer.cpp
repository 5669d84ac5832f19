#include "portatune/train/optim/optimizer.h"

#include <cmath>

namespace portatune::optim {

Shape Slot::shape(const Shape& parameter) const {
  Shape shape = parameter;
  if (without) shape.erase(*without);
  return shape;
}

Sharding Slot::sharding(const Sharding& parameter) const {
  if (!without) return parameter;
  if (parameter.axis == *without) return {};
  Sharding sharding = parameter;
  if (sharding.axis > *without) --sharding.axis;
  return sharding;
}

bool decays(const Value& weight, WeightDecayOf which) { return weight.rank() >= 2 || which == WeightDecayOf::kAll; }

Value WeightDecay::times(const Value& x, const Value& weight, const StepScalars& scalars) const {
  return is_of_step(weight, scalars) ? x * scalars.weight_decay : x * of(weight);
}

Value bias_correction(double beta, const Value& updates) { return -1.0 / expm1(updates * std::log(beta)); }

Update update_or_not(const Value& makes_update, const Update& after, const Update& before) {
  const Value makes = compare(Direction::kNotEqual, makes_update, full(makes_update.type(), 0));
  const auto choose = [&](const Value& x, const Value& y) { return select(broadcast_to(makes, x.shape()), x, y); };
  Update chosen{.weight = choose(after.weight, before.weight), .slots = {}};
  for (size_t i = 0; i < after.slots.size(); ++i) chosen.slots.push_back(choose(after.slots[i], before.slots[i]));
  return chosen;
}

Value sum_of_squares(const Value& part, const Division& division) {
  return all_reduce(portatune::sum_of_squares(part), division.mesh, division.sharding.over);
}

double elements(const Value& part, const Division& division) {
  return static_cast<double>(part.shape().elements() * division.mesh.size(division.sharding.over));
}

Value mean(const Value& part, int64_t axis, const Division& division) {
  const MeshAxes over = division.sharding.axis == axis ? division.sharding.over : MeshAxes{};
  const int64_t size = part.shape()[axis] * division.mesh.size(over);
  return all_reduce(sum(part, {axis}), division.mesh, over) / static_cast<double>(size);
}

}  // namespace portatune::optim
