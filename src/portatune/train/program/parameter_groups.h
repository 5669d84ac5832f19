// Parameters that are updated with a learning rate or a weight decay of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "portatune/nn.h"
#include "portatune/optim/optimizer.h"
#include "portatune/train.h"

namespace portatune::train {

/// A parameter group of a step.
struct StepGroup {
  ParameterGroup parameters;
  /// The optimizer with the weight decay of the group, or null if the group has none. A shared_ptr because copies of
  /// the step's options share it.
  std::shared_ptr<const optim::Optimizer> optimizer = {};
};

/// Requires that each group has a parameter to train.
/// errors  UsageError that names the pattern
void require_group_members(std::span<const nn::Parameter> trainable, const std::vector<StepGroup>& groups);

/// The optimizer of a parameter: that of the last group which has the parameter and an optimizer, or else `by_default`.
const optim::Optimizer& optimizer_for(const nn::Parameter& parameter, const std::vector<StepGroup>& groups,
                                      const optim::Optimizer& by_default);

/// The learning rates of a step. Parameters share a rate if the last group with a rate is the same for all of them, and
/// layer-wise decay gives them the same factor. The number of rates therefore does not depend on their values.
class LearningRates {
 public:
  /// parameters   all parameters of the model, in the order in which the forward pass first uses them
  /// layer_decay  see TrainingOptions
  LearningRates(std::span<const nn::Parameter> parameters, const std::vector<StepGroup>& groups, double layer_decay);

  /// Type of the step's input: a scalar if there is one rate, else a vector of all.
  TensorType type() const;
  /// All rates before the schedule.
  /// learning_rate  the rate of parameters without a group
  std::vector<double> peaks(double learning_rate) const;
  /// The index of a trained parameter's rate.
  size_t index(size_t parameter) const { return index_[parameter]; }
  /// The rate of a trained parameter, as a scalar.
  /// rates  the step's input
  Value of(size_t parameter, const Value& rates) const;

 private:
  struct Rate {
    std::optional<size_t> group;  // the group that gives it
    int64_t layers_above;         // exponent of the layer-wise decay
    std::optional<double> learning_rate;
    double factor;

    double peak(double by_default) const { return learning_rate.value_or(by_default) * factor; }
  };

  std::vector<Rate> rates_;
  std::vector<size_t> index_;  // by parameter; 0 for frozen ones, which have no rate
};

}  // namespace portatune::train
