#include "portatune/train/optim/sgd.h"

namespace portatune::optim {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const SgdOptions& options, WeightDecayOf decay_of) : options_(options), decay_(options.weight_decay, decay_of) {}

  std::vector<Slot> slots(int64_t) const override {
    return options_.momentum > 0 ? std::vector<Slot>{{"momentum"}} : std::vector<Slot>{};
  }

  UpdateRule rule(const StepScalars& scalars) const override {
    return [o = options_, decay = decay_, scalars](const Update& before, const Value& gradient, const Division&) {
      const Value& weight = before.weight;
      const Value decayed = gradient * scalars.factor + decay.times(weight, weight, scalars);
      Update after;
      Value step = decayed;
      if (o.momentum > 0) {
        const Value momentum = o.momentum * before.slots[0] + decayed;
        step = o.nesterov ? decayed + o.momentum * momentum : momentum;
        after.slots = {momentum};
      }
      after.weight = weight - scalars.learning_rate * step;
      return update_or_not(scalars.makes_update, after, before);
    };
  }

 private:
  const SgdOptions options_;
  const WeightDecay decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> sgd(const SgdOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<Sgd>(options, decay_of);
}

}  // namespace portatune::optim
