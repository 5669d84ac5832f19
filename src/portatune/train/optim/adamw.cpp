#include "portatune/train/optim/adamw.h"

namespace portatune::optim {
namespace {

class AdamW final : public Optimizer {
 public:
  AdamW(const AdamWOptions& options, WeightDecayOf decay_of)
      : options_(options), decay_(options.weight_decay, decay_of) {}

  std::vector<Slot> slots(int64_t) const override { return {{"m"}, {"v"}}; }

  UpdateRule rule(const StepScalars& scalars) const override {
    Values parts;
    for (const Value& x : {scalars.learning_rate, bias_correction(options_.beta1, scalars.updates),
                           bias_correction(options_.beta2, scalars.updates), scalars.factor, scalars.makes_update}) {
      parts.push_back(reshape(x, {1}));
    }
    const Value hyper = concatenate(parts, 0);
    if (scalars.weight_decay) parts.push_back(reshape(scalars.weight_decay, {1}));
    return [options = options_, decay = decay_, scalars, hyper, with_decay = concatenate(parts, 0)](
               const Update& before, const Value& gradient, const Division&) {
      const bool is_of_step = decay.is_of_step(before.weight, scalars);
      AdamWOptions of_weight = options;
      of_weight.weight_decay = is_of_step ? 0 : decay.of(before.weight);
      const AdamWState after =
          portatune::adamw({.parameter = before.weight, .m = before.slots[0], .v = before.slots[1]}, gradient,
                           is_of_step ? with_decay : hyper, of_weight);
      return Update{.weight = after.parameter, .slots = {after.m, after.v}};
    };
  }

 private:
  const AdamWOptions options_;
  const WeightDecay decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> adamw(const AdamWOptions& options, WeightDecayOf decay_of) {
  return std::make_unique<AdamW>(options, decay_of);
}

}  // namespace portatune::optim
