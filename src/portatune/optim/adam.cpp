#include "portatune/optim/adam.h"

#include "portatune/optim/adamw.h"

namespace portatune::optim {
namespace {

// AdamW without decay, on gradients with it.
class Adam final : public Optimizer {
 public:
  Adam(const AdamWOptions& options, WeightDecayOf decay_of)
      : decay_(options.weight_decay), decay_of_(decay_of), without_decay_(without_decay(options)) {}

  std::vector<Slot> slots(int64_t rank) const override { return without_decay_->slots(rank); }

  UpdateRule rule(const StepScalars& scalars) const override {
    StepScalars of_scaled = scalars;
    of_scaled.factor = full(scalars.factor.type(), 1);
    return [decay = decay_, decay_of = decay_of_, factor = scalars.factor, update = without_decay_->rule(of_scaled)](
               const Update& before, const Value& gradient, const Division& division) {
      const double of_weight = weight_decay_of(before.weight, decay, decay_of);
      return update(before, gradient * factor + of_weight * before.weight, division);
    };
  }

 private:
  static std::unique_ptr<const Optimizer> without_decay(AdamWOptions options) {
    options.weight_decay = 0;
    return adamw(options);
  }

  const double decay_;
  const WeightDecayOf decay_of_;
  const std::unique_ptr<const Optimizer> without_decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> adam(const AdamWOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<Adam>(options, decay_of);
}

}  // namespace portatune::optim
