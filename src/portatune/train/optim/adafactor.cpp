#include "portatune/train/optim/adafactor.h"

namespace portatune::optim {
namespace {

constexpr double kEpsilon = 1e-30, kDecayRate = -0.8;  // the defaults of transformers

// Interpolation between slots and new values.
struct Averaging {
  Value beta;
  Value operator()(const Value& slot, const Value& value) const { return beta * slot + (1.0 - beta) * value; }
};

// The slots after an update, and the gradient divided by the root mean square that they describe.
struct Normalised {
  Values slots;
  Value gradient;
};

Normalised by_element(const Value& slot, const Value& gradient, const Value& squares, const Averaging& average) {
  const Value v = average(slot, squares);
  return {{v}, gradient * rsqrt(v)};
}

Normalised by_row_and_column(const Values& slots, const Value& gradient, const Value& squares, const Averaging& average,
                             const Division& division) {
  const int64_t columns = gradient.rank() - 1, rows = columns - 1;
  const Value row = average(slots[0], mean(squares, columns, division));
  const Value column = average(slots[1], mean(squares, rows, division));
  const Value mean_row = expand_dims(mean(row, rows, division), rows);
  const Value of_row = rsqrt(row / broadcast_to(mean_row, row.shape()));
  const auto spread = [&](const Value& factor, int64_t axis) {
    return broadcast_to(expand_dims(factor, axis), gradient.shape());
  };
  return {{row, column}, gradient * spread(of_row, columns) * spread(rsqrt(column), rows)};
}

class Adafactor final : public Optimizer {
 public:
  explicit Adafactor(const WeightDecay& decay) : decay_(decay) {}

  std::vector<Slot> slots(int64_t rank) const override {
    if (rank < 2) return {{"v"}};
    return {{.name = "v_row", .without = rank - 1}, {.name = "v_col", .without = rank - 2}};
  }

  UpdateRule rule(const StepScalars& scalars) const override {
    const Averaging average{1.0 - power(scalars.updates, full(scalars.updates.type(), kDecayRate))};
    return [average, scalars, decay = decay_](const Update& before, const Value& gradient, const Division& division) {
      const Value scaled = gradient * scalars.factor, squares = scaled * scaled + kEpsilon;
      const Normalised found = scaled.rank() < 2 ? by_element(before.slots[0], scaled, squares, average)
                                                 : by_row_and_column(before.slots, scaled, squares, average, division);
      const Value root_mean_square =
          sqrt(sum_of_squares(found.gradient, division) / elements(found.gradient, division));
      const Value step = found.gradient / maximum(root_mean_square, full(root_mean_square.type(), 1));
      const Value decayed = before.weight * (1.0 - decay.times(scalars.learning_rate, before.weight, scalars));
      const Update after{.weight = decayed - scalars.learning_rate * step, .slots = found.slots};
      return update_or_not(scalars.makes_update, after, before);
    };
  }

 private:
  const WeightDecay decay_;
};

}  // namespace

std::unique_ptr<const Optimizer> adafactor(double weight_decay, WeightDecayOf decay_of) {
  return std::make_unique<Adafactor>(WeightDecay(weight_decay, decay_of));
}

}  // namespace portatune::optim
