// The parameters of a model on a device, and their optimizer state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "portatune/device.h"
#include "portatune/tasks.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/array_files.h"
#include "portatune/train/optim/optimizer.h"
#include "portatune/train/program/step_layout.h"

namespace portatune::train {

/// Empty until the first program determines the parameters.
class Weights {
 public:
  /// device, task: must outlive this object
  /// options supplies the optimizer, the seed, the weights that may be new, and the files to write into every saved
  /// model.
  Weights(const Device& device, const Task& task, const TrainingOptions& options);

  /// Sets the checkpoint from which the optimizer state is restored later, instead of starting from 0.
  void resume_from(const std::filesystem::path& checkpoint) { resume_from_ = checkpoint; }

  /// Loads or initialises the weights, on the first call.
  /// errors  CheckpointError for weights that may not be new; UsageError on a later call with other parameters
  void load(const std::vector<nn::Parameter>& parameters);
  /// Initialises or restores the optimizer state, on the first call. Evaluation alone does not pay for it.
  void load_optimizer_state();

  /// Restores weights and optimizer state from a checkpoint, or the initial ones if it is empty. After an error they
  /// are partly of either state, and every reader of them throws from then on.
  /// errors  NotFoundError, CheckpointError if arrays are missing, or differ from those that process 0 finds there
  void restore(const std::filesystem::path& checkpoint);
  /// errors  UsageError after a failed restore(); all functions below that read arrays throw it too
  void require_whole() const;

  bool empty() const { return weights_.empty(); }
  bool have_optimizer_state() const { return slots_.has_value(); }
  /// Puts the averages of the weights (optim::with_average) in the place of the weights.
  void take_averages();
  /// Ends take_averages().
  void put_averages_back();
  const LoadReport& load_report() const { return load_report_; }

  /// Names of the parameters, in the order in which the forward pass first uses them.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::pair<std::string, TensorType>> parameters() const;
  /// The parameters as inputs of programs, in the order of names().
  const std::vector<nn::Parameter>& in_programs() const { return parameters_; }
  /// A copy of the parameter with this index in names(). Wait for running steps before.
  Tensor value(size_t parameter) const;
  /// A copy of its first slot, which accumulates the parameter's gradients; zeros if it has no slot.
  Tensor accumulated_gradient(size_t parameter) const;

  /// Replaces the parameter with this index by an array of its type.
  void set_value(size_t parameter, Tensor value);
  /// Names and types of the optimizer's arrays, the names as in checkpoints: "m.classifier.weight".
  std::vector<std::pair<std::string, TensorType>> slots() const;
  /// A copy of the array with this index in slots(). load_optimizer_state() comes first.
  Tensor slot(size_t index) const;
  /// Replaces it by an array of its type.
  void set_slot(size_t index, Tensor value);
  /// Whether the parameter is trained.
  bool is_trained(size_t parameter) const { return parameters_.at(parameter).trainable; }

  /// Bytes of the weights to save.
  int64_t bytes() const;

  /// The weights as arguments of a program: without buffers that have no effect (nn::parameters_of).
  std::vector<DeviceArray*> arguments();
  /// Sets weights and slots among the arguments of a step.
  void set_arguments(const StepLayout& layout, std::vector<DeviceArray*>& arguments);

  /// The name of the first weight with a non-finite element; empty if there is none.
  std::string first_not_finite() const;

  /// Stem of the files of named_weights().
  const char* stem() const;
  /// The weights to save, under the parameters' names, and the optimizer state under "<slot>.<parameter>". The next
  /// step invalidates them.
  std::vector<NamedArray> named_weights() const;
  std::vector<NamedArray> named_slots() const;
  /// Writes the files of the model except the weights. Any thread may call it.
  void save_files(const std::filesystem::path& folder) const;

 private:
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters) const;
  void make_slots();
  void restore_weights();
  void restore_slots();
  /// Returns whether checkpoints have the weight: all weights, or those of the adapter alone.
  bool is_saved(const nn::Parameter& parameter) const { return !lora_ || parameter.trainable; }
  std::string name_in_files(const nn::Parameter& parameter) const;
  std::string saved_name(const SlotArray& slot) const { return slot.name + "." + names_[slot.parameter]; }

  const Device& device_;
  const Task& task_;
  const std::shared_ptr<const optim::Optimizer> optimizer_;
  const uint64_t seed_;
  const NewWeights new_weights_;
  const bool from_config_;
  const std::optional<Lora> lora_;
  const std::map<std::string, std::string> files_;
  std::filesystem::path resume_from_;
  std::vector<nn::Parameter> parameters_;
  std::vector<std::string> names_;
  std::vector<DeviceArray> weights_;
  std::vector<SlotArray> slot_arrays_;             // see slots_of()
  std::optional<std::vector<DeviceArray>> slots_;  // none before load_optimizer_state()
  std::map<size_t, DeviceArray> set_aside_;        // weights during take_averages(), by the index of the average
  bool are_whole_ = true;                          // false after a failed restore()
  LoadReport load_report_;
};

/// The averages of the weights in the place of the weights, as long as this object lives.
class AveragedWeights {
 public:
  explicit AveragedWeights(Weights& weights) : weights_(weights) { weights_.take_averages(); }
  ~AveragedWeights() { weights_.put_averages_back(); }
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  Weights& weights_;
};

}  // namespace portatune::train
