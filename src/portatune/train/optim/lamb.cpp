#include "portatune/train/optim/lamb.h"

namespace portatune::optim {
namespace {

// The norm of the weight over that of its step; 1 if either is 0.
Value trust_ratio(const Value& weight, const Value& step, const Division& division) {
  const Value of_weight = sqrt(sum_of_squares(weight, division)), of_step = sqrt(sum_of_squares(step, division));
  const Value zero = full(of_weight.type(), 0), one = full(of_weight.type(), 1);
  const Value ratio = select(compare(Direction::kGreater, of_step, zero), of_weight / of_step, one);
  return select(compare(Direction::kGreater, of_weight, zero), ratio, one);
}

class Lamb final : public Optimizer {
 public:
  Lamb(const AdamWOptions& options, WeightDecayOf decay_of, WeightDecayOf adapted)
      : options_(options), decay_(options.weight_decay, decay_of), adapted_(adapted) {}

  std::vector<Slot> slots(int64_t) const override { return {{"m"}, {"v"}}; }

  UpdateRule rule(const StepScalars& scalars) const override {
    const Value of_mean = bias_correction(options_.beta1, scalars.updates);
    const Value of_square = bias_correction(options_.beta2, scalars.updates);
    return [o = options_, decay = decay_, adapted = adapted_, scalars, of_mean, of_square](
               const Update& before, const Value& gradient, const Division& division) {
      const Value& weight = before.weight;
      const Value scaled = gradient * scalars.factor;
      const Value m = o.beta1 * before.slots[0] + (1 - o.beta1) * scaled;
      const Value v = o.beta2 * before.slots[1] + (1 - o.beta2) * scaled * scaled;
      Value step = m * of_mean / (sqrt(v * of_square) + o.eps);
      if (decay.concerns(weight)) step = step + decay.times(weight, weight, scalars);
      if (decays(weight, adapted)) step = trust_ratio(weight, step, division) * step;
      const Update after{.weight = weight - scalars.learning_rate * step, .slots = {m, v}};
      return update_or_not(scalars.makes_update, after, before);
    };
  }

 private:
  const AdamWOptions options_;
  const WeightDecay decay_;
  const WeightDecayOf adapted_;
};

}  // namespace

std::unique_ptr<const Optimizer> lamb(const AdamWOptions& options, WeightDecayOf decay_of, WeightDecayOf adapted) {
  return std::make_unique<Lamb>(options, decay_of, adapted);
}

}  // namespace portatune::optim
