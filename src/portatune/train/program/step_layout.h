// Names for the arguments and results of a training step. No other code knows their order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/nn.h"
#include "portatune/train/optim/optimizer.h"

namespace portatune::train {

/// The arrays of a batch: names and types, in the order of Task::inputs().
using Signature = std::vector<std::pair<std::string, TensorType>>;

/// An array that the optimizer keeps for a parameter. It starts at 0.
struct SlotArray {
  std::string name;   ///< name of the slot: "m"
  size_t slot;        ///< index of the slot in Optimizer::slots()
  size_t parameter;   ///< index of the parameter
  TensorType type;    ///< type of the whole array
  Sharding sharding;  ///< that of SharedUpdate, without an axis that the slot does not have
};
/// All arrays of an optimizer: the first slots of all trainable parameters, then the second.
std::vector<SlotArray> slots_of(std::span<const nn::Parameter> parameters, const optim::Optimizer& optimizer,
                                const Mesh& mesh);

/// An array of Progress.
enum class ProgressArray { kCounters, kLossScale };
/// An argument that differs in each step. A step without draws has no random key.
enum class StepInput { kRates, kRandomKey };
/// A float32 scalar that a step returns.
enum class StepNumber { kLoss, kWeight, kGradNorm, kLossScale };

/// Indices of arguments and results. The order is
///   arguments  weights, slots, progress, the arrays of the batch, StepInput, the rules of dropouts
///   results    trainable weights, slots and progress after the step; StepNumber
class StepLayout {
 public:
  /// dropouts  number of dropouts whose rates are inputs; none: the step draws nothing
  StepLayout(std::span<const nn::Parameter> parameters, std::vector<SlotArray> slots, const Signature& batch,
             std::optional<size_t> dropouts = 0);

  /// Number of arguments.
  size_t arguments() const { return draws() ? dropout(*dropouts_) : input(StepInput::kRandomKey); }
  size_t results() const { return result(StepNumber::kLossScale) + 1; }  ///< their number
  /// Whether the step has a random key.
  bool draws() const { return dropouts_.has_value(); }
  size_t weights() const { return weights_; }
  const std::vector<SlotArray>& slots() const { return slots_; }

  // Indices of arguments.
  size_t weight(size_t parameter) const { return parameter; }
  /// index  in slots()
  size_t slot(size_t index) const { return weights_ + index; }
  size_t progress(ProgressArray array) const { return slot(slots_.size()) + static_cast<size_t>(array); }
  /// errors  std::out_of_range for a name that the batch does not have
  size_t batch(std::string_view name) const;
  size_t input(StepInput input) const { return first_of_batch() + batch_.size() + static_cast<size_t>(input); }
  /// The rule of a dropout.
  size_t dropout(size_t index) const { return input(StepInput::kRandomKey) + 1 + index; }

  /// Pairs of an argument and the result that replaces it, in its memory.
  const std::vector<std::pair<size_t, size_t>>& replaced() const { return replaced_; }
  /// Index of the result that replaces an argument.
  /// errors  std::out_of_range for an argument that no result replaces
  size_t result_for(size_t argument) const;
  /// Index of the result.
  size_t result(StepNumber number) const { return replaced_.size() + static_cast<size_t>(number); }

 private:
  size_t first_of_batch() const { return progress(ProgressArray::kLossScale) + 1; }

  size_t weights_;
  std::vector<SlotArray> slots_;
  std::vector<std::string> batch_;
  std::optional<size_t> dropouts_;
  std::vector<std::pair<size_t, size_t>> replaced_;
};

}  // namespace portatune::train
