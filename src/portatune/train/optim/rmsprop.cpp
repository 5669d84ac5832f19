#include "portatune/train/optim/rmsprop.h"

namespace portatune::optim {
namespace {

class RmsProp final : public Optimizer {
 public:
  RmsProp(const RmsPropOptions& options, WeightDecayOf decay_of)
      : options_(options), decay_(options.weight_decay, decay_of) {}

  std::vector<Slot> slots(int64_t) const override {
    std::vector<Slot> slots{{"v"}};
    if (options_.momentum > 0) slots.push_back({"momentum"});
    if (options_.centered) slots.push_back({"m"});
    return slots;
  }

  UpdateRule rule(const StepScalars& scalars) const override {
    return [o = options_, decay = decay_, scalars](const Update& before, const Value& gradient, const Division&) {
      const Value decayed = gradient * scalars.factor + decay.times(before.weight, before.weight, scalars);
      const auto average = [&](const Value& mean, const Value& x) { return o.alpha * mean + (1 - o.alpha) * x; };
      Update after{.weight = {}, .slots = {average(before.slots[0], decayed * decayed)}};
      Value variance = after.slots[0];
      Value mean;
      if (o.centered) {
        mean = average(before.slots.back(), decayed);
        // Rounding may make the variance of equal gradients negative.
        variance = maximum(variance - mean * mean, full(mean.type(), 0));
      }
      Value step = decayed / (sqrt(variance) + o.eps);
      if (o.momentum > 0) {
        step = o.momentum * before.slots[1] + step;
        after.slots.push_back(step);
      }
      if (o.centered) after.slots.push_back(mean);
      after.weight = before.weight - scalars.learning_rate * step;
      return update_or_not(scalars.makes_update, after, before);
    };
  }

 private:
  const RmsPropOptions options_;
  const WeightDecay decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> rmsprop(const RmsPropOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<RmsProp>(options, decay_of);
}

}  // namespace portatune::optim
