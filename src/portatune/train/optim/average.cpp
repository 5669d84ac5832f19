#include "portatune/train/optim/average.h"

#include <utility>

namespace portatune::optim {
namespace {

class WithAverage final : public Optimizer {
 public:
  WithAverage(std::unique_ptr<const Optimizer> optimizer, double decay)
      : optimizer_(std::move(optimizer)), decay_(decay) {}

  std::vector<Slot> slots(int64_t rank) const override {
    std::vector<Slot> slots = optimizer_->slots(rank);
    slots.push_back({kAverageSlot});
    return slots;
  }

  UpdateRule rule(const StepScalars& scalars) const override {
    return [decay = decay_, scalars, rule = optimizer_->rule(scalars)](const Update& before, const Value& gradient,
                                                                       const Division& division) {
      Update own = before;
      own.slots.pop_back();
      Update after = rule(own, gradient, division);
      const Value &average = before.slots.back(), &weight = after.weight;
      const Value is_first = compare(Direction::kEqual, scalars.updates, full(scalars.updates.type(), 1));
      const Value next =
          select(broadcast_to(is_first, weight.shape()), weight, average + (1.0 - decay) * (weight - average));
      const Update chosen =
          update_or_not(scalars.makes_update, {.weight = next, .slots = {}}, {.weight = average, .slots = {}});
      after.slots.push_back(chosen.weight);
      return after;
    };
  }

 private:
  const std::unique_ptr<const Optimizer> optimizer_;
  const double decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> with_average(std::unique_ptr<const Optimizer> optimizer, double decay) {
  return std::make_unique<WithAverage>(std::move(optimizer), decay);
}

}  // namespace portatune::optim
