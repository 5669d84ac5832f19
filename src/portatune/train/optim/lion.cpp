#include "portatune/train/optim/lion.h"

namespace portatune::optim {
namespace {

Value sign(const Value& x) {
  const Value zero = full(x.type(), 0), one = full(x.type(), 1);
  const Value of_negative = select(compare(Direction::kLess, x, zero), -one, zero);
  return select(compare(Direction::kGreater, x, zero), one, of_negative);
}

Value interpolated(double beta, const Value& mean, const Value& gradient) {
  return beta * mean + (1 - beta) * gradient;
}

class Lion final : public Optimizer {
 public:
  Lion(const LionOptions& options, WeightDecayOf decay_of)
      : options_(options), decay_(options.weight_decay, decay_of) {}

  std::vector<Slot> slots(int64_t) const override { return {{"m"}}; }

  UpdateRule rule(const StepScalars& scalars) const override {
    return [o = options_, decay = decay_, scalars](const Update& before, const Value& gradient, const Division&) {
      const Value scaled = gradient * scalars.factor;
      const Value step = sign(interpolated(o.beta1, before.slots[0], scaled));
      const Value decayed = before.weight * (1.0 - decay.times(scalars.learning_rate, before.weight, scalars));
      const Update after{.weight = decayed - scalars.learning_rate * step,
                         .slots = {interpolated(o.beta2, before.slots[0], scaled)}};
      return update_or_not(scalars.makes_update, after, before);
    };
  }

 private:
  const LionOptions options_;
  const WeightDecay decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> lion(const LionOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<Lion>(options, decay_of);
}

}  // namespace portatune::optim
