// A model on a device: its weights, and its compiled programs by search kind and sizes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/generate/programs.h"
#include "portatune/generate/token_model.h"
#include "portatune/generation.h"
#include "portatune/hub/model_folder.h"
#include "portatune/runtime/compiled_model.h"

namespace portatune::generate {

class ModelPrograms {
 public:
  /// Loads a model folder.
  /// device  must outlive this object
  /// errors  as those of Generator
  ModelPrograms(const Device& device, const std::filesystem::path& folder, DType dtype);

  const models::TextModel& model() const { return *model_; }
  const TokenModel& tokens() const { return *tokens_; }
  const io::JsonObject& config() const { return folder_.config(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Sets the receiver of compilation events; may be nullptr.
  void set_callback(GenerationCallback* callback) { callback_ = callback; }

  /// The programs, compiled at their first use.
  const Program& prefill(const SearchKind& kind, const Sizes& sizes);
  const Program& decode(const SearchKind& kind, const Sizes& sizes);

  /// Runs a program on the weights and these arguments.
  std::vector<DeviceArray> run(const Program& program, std::vector<DeviceArray>& arguments);

  DeviceArray put(const Tensor& tensor, const Sharding& sharding = {}) const {
    return device_.put(tensor.view(), sharding);
  }
  /// Number of parts in which devices divide the prompts of a batch.
  int64_t parts() const { return device_.mesh().size(kBatchAxes); }

 private:
  template <class Build>
  const Program& program(const std::string& key, const std::string& what, Build build);
  void load(const std::vector<nn::Parameter>& parameters);

  const Device& device_;
  hub::ModelFolder folder_;
  std::unique_ptr<const models::TextModel> model_;
  std::unique_ptr<const TokenModel> tokens_;
  const DType dtype_;
  GenerationCallback* callback_ = nullptr;
  std::vector<std::string> names_;
  std::vector<DeviceArray> weights_;
  CompiledModel programs_;
};

}  // namespace portatune::generate
