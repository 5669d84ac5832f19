// The second half of a step: from the summed gradients to the updated weights.
#pragma once

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "portatune/graph.h"
#include "portatune/nn.h"
#include "portatune/train/program/programs.h"
#include "portatune/train/program/progress.h"
#include "portatune/train/program/shared_update.h"

namespace portatune::train {

/// Sums over the examples of a batch.
struct Sums {
  Value loss, weight;
  Values gradients;  ///< of the summed loss with respect to each trainable parameter
};

/// The divisor that makes means of sums. A batch may have nothing to learn from: masked language modelling may choose
/// no token. Then its loss is 0 instead of 0 / 0, and its gradients stay 0.
Value divisor_of(const Sums& sums);

/// The parameters that have a gradient.
template <std::ranges::range Parameters>
std::vector<nn::Parameter> trainable_of(const Parameters& parameters) {
  std::vector<nn::Parameter> trainable;
  std::ranges::copy_if(parameters, std::back_inserter(trainable), &nn::Parameter::trainable);
  return trainable;
}
/// The update of each trainable parameter.
std::vector<SharedUpdate> updates_of(std::span<const nn::Parameter> trainable, const Mesh& mesh);

/// The rate of each dropout.
std::vector<double> rates_of(const std::vector<nn::DropoutInput>& dropouts);

/// Parameters of a program from which it computes the sums, besides the weights.
struct SumInputs {
  std::vector<std::pair<std::string, Value>> arrays;  ///< by name
  Value random_key = {};                              ///< absent: nothing is drawn
  std::vector<nn::DropoutInput> dropouts = {};
};

/// The program of a step that computes these sums: see step_program().
/// parameters  all of the model
/// sums        over all devices; of the gradients, each device has the parts that it updates (SharedUpdate)
StepProgram step_with(const Sums& sums, const SumInputs& inputs, const std::vector<nn::Parameter>& parameters,
                      const ProgressValues& progress, const StepOptions& options);

/// A step whose loss and gradients are given: the arrays of given_gradients.h are in the place of a batch, the
/// gradients in the sharding of SharedUpdate, and the sum of weights is 1.
/// parameters  all of the model
StepProgram update_program(const std::vector<nn::Parameter>& parameters, const StepOptions& options);

}  // namespace portatune::train
