// Parameters that are updated with a learning rate or a weight decay of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "portatune/nn.h"
#include "portatune/train.h"
#include "portatune/train/optim/optimizer.h"

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

/// The learning rates and the weight decays of a step, which are its input. Parameters share a rate if the last group
/// with a rate is the same for all of them, and layer-wise decay gives them the same factor. They share a weight decay
/// if the last group with one is the same. The number of rates and decays therefore does not depend on their values,
/// except that a weight decay of 0 is no input.
class StepRates {
 public:
  /// parameters   all parameters of the model, in the order in which the forward pass first uses them
  /// layer_decay  see TrainingOptions
  /// decays       whether parameters without a group decay
  StepRates(std::span<const nn::Parameter> parameters, const std::vector<StepGroup>& groups, double layer_decay,
            bool decays = false);

  /// Type of the step's input: a scalar if there is one rate and no decay, else a vector of the rates and the decays.
  TensorType type() const;
  /// All rates before the schedule.
  /// learning_rate  the rate of parameters without a group
  std::vector<double> peaks(double learning_rate) const;
  /// The index of a trained parameter's rate.
  size_t index(size_t parameter) const { return index_[parameter]; }
  /// The rate of a trained parameter, as a scalar.
  /// input  of the step
  Value learning_rate(size_t parameter, const Value& input) const;
  /// All weight decays of the input.
  std::vector<double> decays(const TrainingOptions& options) const;
  /// The weight decay of a trained parameter, as a scalar; empty if it is no input.
  Value weight_decay(size_t parameter, const Value& input) const;

 private:
  struct Rate {
    std::optional<size_t> group;  // the group that gives it
    int64_t layers_above;         // exponent of the layer-wise decay
    std::optional<double> learning_rate;
    double factor;

    double peak(double by_default) const { return learning_rate.value_or(by_default) * factor; }
  };

  // An element of the input.
  Value element(size_t index, const Value& input) const;

  std::vector<Rate> rates_;
  std::vector<size_t> index_;                       // by parameter; 0 for frozen ones, which have no rate
  std::vector<std::optional<size_t>> decays_;       // the groups that give them; none: TrainingOptions::weight_decay
  std::vector<std::optional<size_t>> decay_index_;  // by parameter
};

}  // namespace portatune::train
