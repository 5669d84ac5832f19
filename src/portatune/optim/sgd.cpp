#include "portatune/optim/sgd.h"

namespace portatune::optim {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const SgdOptions& options, WeightDecayOf decay_of) : options_(options), decay_of_(decay_of) {}

  std::vector<std::string> slots() const override {
    return options_.momentum > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
  }

  UpdateRule rule(const StepScalars& scalars) const override {
    const Value makes_update =
        compare(Direction::kNotEqual, scalars.makes_update, full(scalars.makes_update.type(), 0));
    return [o = options_, decay_of = decay_of_, scalars, makes_update](const Update& before, const Value& gradient) {
      const Value& weight = before.weight;
      const Value makes = broadcast_to(makes_update, weight.shape());
      const double decay = weight_decay_of(weight, o.weight_decay, decay_of);
      const Value decayed = gradient * scalars.factor + decay * weight;
      Update after;
      Value step = decayed;
      if (o.momentum > 0) {
        const Value momentum = o.momentum * before.slots[0] + decayed;
        step = o.nesterov ? decayed + o.momentum * momentum : momentum;
        after.slots = {select(makes, momentum, before.slots[0])};
      }
      after.weight = select(makes, weight - scalars.learning_rate * step, weight);
      return after;
    };
  }

 private:
  const SgdOptions options_;
  const WeightDecayOf decay_of_;
};

}  // namespace

std::unique_ptr<const Optimizer> sgd(const SgdOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<Sgd>(options, decay_of);
}

}  // namespace portatune::optim
