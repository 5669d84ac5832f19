#include "portatune/train/optim/adam.h"

#include "portatune/train/optim/adamw.h"

namespace portatune::optim {
namespace {

// AdamW without decay, on gradients with it.
class Adam final : public Optimizer {
 public:
  Adam(const AdamWOptions& options, WeightDecayOf decay_of)
      : decay_(options.weight_decay, decay_of), without_decay_(without_decay(options)) {}

  std::vector<Slot> slots(int64_t rank) const override { return without_decay_->slots(rank); }

  UpdateRule rule(const StepScalars& scalars) const override {
    StepScalars of_scaled = scalars;
    of_scaled.factor = full(scalars.factor.type(), 1);
    of_scaled.weight_decay = {};
    return [decay = decay_, scalars, update = without_decay_->rule(of_scaled)](
               const Update& before, const Value& gradient, const Division& division) {
      const Value decayed = gradient * scalars.factor + decay.times(before.weight, before.weight, scalars);
      return update(before, decayed, division);
    };
  }

 private:
  static std::unique_ptr<const Optimizer> without_decay(AdamWOptions options) {
    options.weight_decay = 0;
    return adamw(options);
  }

  const WeightDecay decay_;
  const std::unique_ptr<const Optimizer> without_decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> adam(const AdamWOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<Adam>(options, decay_of);
}

}  // namespace portatune::optim
