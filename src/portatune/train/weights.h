// The parameters of a model on a device, and what the optimizer keeps of each.
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

/// Empty until the first program tells which parameters there are.
class Weights {
 public:
  /// device, task: must outlive this object
  /// The seed, which weights may be new, and the files to write beside every saved model are those of `options`.
  Weights(const Device& device, const Task& task, const TrainingOptions& options)
      : device_(device),
        task_(task),
        seed_(options.seed),
        new_weights_(options.new_weights),
        files_(options.model_files) {}

  /// Where the moments are found later, instead of starting from 0.
  void resume_from(const std::filesystem::path& checkpoint) { resume_from_ = checkpoint; }

  /// Loads or draws the weights, the first time.
  /// errors  CheckpointError for those that may not be new; UsageError later, if these are not the parameters of the first time
  void load(const std::vector<nn::Parameter>& parameters);
  /// Makes or restores the moments, the first time: evaluation alone does not pay for them.
  void load_moments();

  /// Takes weights and moments from a checkpoint, or, where that is empty, those that there were at first. After an
  /// error some are of one state and some of another: all that reads them is refused from then on.
  /// errors  NotFoundError, CheckpointError if they are not all there, or not those that process 0 finds there
  void restore(const std::filesystem::path& checkpoint);
  /// errors  UsageError after a restore() that has failed; so does all that follows and reads them
  void require_whole() const;

  bool empty() const { return weights_.empty(); }
  bool have_moments() const { return !m_.empty(); }
  const LoadReport& load_report() const { return load_report_; }

  /// Of the parameters, in the order in which the forward pass asks for them first.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::pair<std::string, TensorType>> parameters() const;
  /// A copy of the parameter of this place in names(), and of its first moment. Wait for the steps under way.
  Tensor value(size_t parameter) const;
  Tensor first_moment(size_t parameter) const;

  /// Bytes of the weights, and of as many first or second moments.
  int64_t bytes() const;

  /// The weights as arguments of a program.
  std::vector<DeviceArray*> arguments();
  /// Weights, first and second moments as arguments of a step, which consumes them.
  std::vector<DeviceArray*> arguments_of_step();
  /// Takes them back from the front of the step's results; returns the rest.
  std::vector<DeviceArray> take_results_of_step(std::vector<DeviceArray> results);

  /// The name of the first weight that has an element which is not finite; empty if there is none.
  std::string first_not_finite() const;

  /// The weights under the parameters' names, and the moments under "m.<parameter>" and "v.<parameter>". To be read
  /// before the next step.
  std::vector<NamedArray> named_weights() const;
  std::vector<NamedArray> named_moments() const;
  /// Writes the files of the model beside the weights. Any thread may call it.
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
  bool are_whole_ = true;  // not between two states
  LoadReport load_report_;
};

}  // namespace portatune::train
