// What an optimizer is: arrays that it keeps for each parameter, and the update of a parameter as a graph.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "portatune/graph.h"
#include "portatune/ops.h"

namespace portatune::optim {

/// Values of a step that all updates share, float32 scalars.
struct StepScalars {
  Value learning_rate;
  Value updates;            ///< number of updates including this one
  Value factor;             ///< factor of the gradients
  Value makes_update;       ///< 1, or 0 to leave weights and slots as they are, for any gradient
  Value weight_decay = {};  ///< in place of the weight decay of the optimizer, if it is given
};

/// A weight and its slots, in the order of Optimizer::slots(), before or after an update. All are float32.
struct Update {
  Value weight;
  Values slots;
};

/// How devices divide a parameter for its update: each device updates its part.
struct Division {
  Sharding sharding = {};
  Mesh mesh = {};
};

/// Makes the update of one parameter, or of the part of it that a device has. `gradient` has the type of the weight.
using UpdateRule = std::function<Update(const Update& before, const Value& gradient, const Division& division)>;

/// An array that an optimizer keeps for a parameter, initially 0. It has all axes of the parameter, or all but one.
struct Slot {
  std::string name;
  std::optional<int64_t> without = {};  ///< the axis of the parameter that the slot does not have

  Shape shape(const Shape& parameter) const;
  Sharding sharding(const Sharding& parameter) const;
};

/// A rule by which gradients change weights.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// The slots of a parameter with this number of axes. The first one, if there is any, accumulates gradients.
  virtual std::vector<Slot> slots(int64_t rank) const = 0;
  /// The rule of one step. It computes once what all parameters share.
  virtual UpdateRule rule(const StepScalars& scalars) const = 0;
};

/// The weights that decay.
enum class WeightDecayOf {
  kMatrices,  ///< not biases and the scales of norms
  kAll
};

/// Returns whether a weight decays.
bool decays(const Value& weight, WeightDecayOf which);
/// The weight decay of an optimizer, of the weights that decay.
class WeightDecay {
 public:
  WeightDecay(double decay, WeightDecayOf which) : decay_(decay), which_(which) {}

  /// Whether a weight decays.
  bool concerns(const Value& weight) const { return decays(weight, which_); }
  /// Whether a weight has the decay of the step.
  bool is_of_step(const Value& weight, const StepScalars& scalars) const {
    return scalars.weight_decay && concerns(weight);
  }
  /// The decay of one weight in a step without a decay of its own.
  double of(const Value& weight) const { return concerns(weight) ? decay_ : 0; }
  /// `x` times the decay of one weight.
  Value times(const Value& x, const Value& weight, const StepScalars& scalars) const;

 private:
  double decay_;
  WeightDecayOf which_;
};

/// 1 / (1 - beta^t) for update t, exact to the last digits even if beta^t is nearly 1.
Value bias_correction(double beta, const Value& updates);

/// `after` if the step makes an update, else `before`.
Update update_or_not(const Value& makes_update, const Update& after, const Update& before);

// Reductions of a whole array, of which each device has the part `part`.

/// Sum of the squares of all elements, a float32 scalar.
Value sum_of_squares(const Value& part, const Division& division);
/// Number of elements.
double elements(const Value& part, const Division& division);
/// Mean along one axis, which the result does not have. Slot::sharding is the sharding of the result.
Value mean(const Value& part, int64_t axis, const Division& division);

}  // namespace portatune::optim
