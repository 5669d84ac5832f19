// What an optimizer is: arrays that it keeps for each parameter, and the update of a parameter as a graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "portatune/ops.h"

namespace portatune::optim {

/// Values of a step that all updates share, float32 scalars.
struct StepScalars {
  Value learning_rate;
  Value updates;       ///< number of updates including this one
  Value factor;        ///< factor of the gradients
  Value makes_update;  ///< 1, or 0 to leave weights and slots as they are, for any gradient
};

/// A weight and its slots, in the order of Optimizer::slots(), before or after an update. All have one float32 type.
struct Update {
  Value weight;
  Values slots;
};

/// Makes the update of one parameter. `gradient` has the type of the weight.
using UpdateRule = std::function<Update(const Update& before, const Value& gradient)>;

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Names of the slots: arrays that the optimizer keeps for each parameter, of the parameter's shape and initially 0.
  /// The first one, if there is any, accumulates gradients.
  virtual std::vector<std::string> slots() const = 0;
  /// The rule of one step. It computes once what all parameters share.
  virtual UpdateRule rule(const StepScalars& scalars) const = 0;
};

/// The weights that decay.
enum class WeightDecayOf {
  kMatrices,  ///< not biases and the scales of norms
  kAll
};

/// The weight decay of one weight: `decay`, or 0 if it does not decay.
double weight_decay_of(const Value& weight, double decay, WeightDecayOf which);

}  // namespace portatune::optim
