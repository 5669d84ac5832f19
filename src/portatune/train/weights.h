// The parameters of a model on a device, and their optimizer state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "portatune/device.h"
#include "portatune/tasks.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/array_files.h"

namespace portatune::train {

/// Empty until the first program determines the parameters.
class Weights {
 public:
  /// device, task: must outlive this object
  /// options supplies the seed, the weights that may be new, and the files to write into every saved model.
  Weights(const Device& device, const Task& task, const TrainingOptions& options)
      : device_(device),
        task_(task),
        seed_(options.seed),
        new_weights_(options.new_weights),
        files_(options.model_files) {}

  /// Sets the checkpoint from which the moments are restored later, instead of starting from 0.
  void resume_from(const std::filesystem::path& checkpoint) { resume_from_ = checkpoint; }

  /// Loads or initialises the weights, on the first call.
  /// errors  CheckpointError for weights that may not be new; UsageError on a later call with other parameters
  void load(const std::vector<nn::Parameter>& parameters);
  /// Initialises or restores the moments, on the first call. Evaluation alone does not pay for them.
  void load_moments();

  /// Restores weights and moments from a checkpoint, or the initial ones if it is empty. After an error they are partly
  /// of either state, and every reader of them throws from then on.
  /// errors  NotFoundError, CheckpointError if arrays are missing, or differ from those that process 0 finds there
  void restore(const std::filesystem::path& checkpoint);
  /// errors  UsageError after a failed restore(); all functions below that read weights or moments throw it too
  void require_whole() const;

  bool empty() const { return weights_.empty(); }
  bool have_moments() const { return !m_.empty(); }
  const LoadReport& load_report() const { return load_report_; }

  /// Names of the parameters, in the order in which the forward pass first uses them.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::pair<std::string, TensorType>> parameters() const;
  /// A copy of the parameter with this index in names(), and of its first moment. Wait for running steps before.
  Tensor value(size_t parameter) const;
  Tensor first_moment(size_t parameter) const;

  /// Bytes of the weights, which are also those of the first or the second moments.
  int64_t bytes() const;

  /// The weights as arguments of a program.
  std::vector<DeviceArray*> arguments();
  /// Weights, first and second moments as arguments of a step, which consumes them.
  std::vector<DeviceArray*> arguments_of_step();
  /// Takes them back from the front of the step's results; returns the remaining results.
  std::vector<DeviceArray> take_results_of_step(std::vector<DeviceArray> results);

  /// The name of the first weight with a non-finite element; empty if there is none.
  std::string first_not_finite() const;

  /// The weights under the parameters' names, and the moments under "m.<parameter>" and "v.<parameter>". The next step
  /// invalidates them.
  std::vector<NamedArray> named_weights() const;
  std::vector<NamedArray> named_moments() const;
  /// Writes the files of the model except the weights. Any thread may call it.
  void save_files(const std::filesystem::path& folder) const;

 private:
  void make_moments();
  void restore_weights();
  void restore_moments();
  Sharding sharding_of_moments(size_t parameter) const;
  const Device& device_;
  const Task& task_;
  const uint64_t seed_;
  const NewWeights new_weights_;
  const std::map<std::string, std::string> files_;
  std::filesystem::path resume_from_;
  std::vector<nn::Parameter> parameters_;
  std::vector<std::string> names_;
  std::vector<DeviceArray> weights_, m_, v_;
  bool are_whole_ = true;  // false after a failed restore()
  LoadReport load_report_;
};

}  // namespace portatune::train
