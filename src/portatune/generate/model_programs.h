// A model on a device: its weights, and its programs by kind and sizes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "portatune/generate/programs.h"
#include "portatune/generation.h"
#include "portatune/hub/model_folder.h"

namespace portatune::generate {

class ModelPrograms {
 public:
  /// device  must outlive this object
  /// errors  as those of Generator
  ModelPrograms(const Device& device, const std::filesystem::path& folder, DType dtype);

  const models::TextModel& model() const { return *model_; }
  const io::JsonObject& config() const { return folder_.config(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Whom to tell about compilations; may be nullptr.
  void tell(GenerationCallback* callback) { callback_ = callback; }

  /// Compiled when they are first asked for.
  const Program& prefill(const SearchKind& kind, const Sizes& sizes);
  const Program& decode(const SearchKind& kind, const Sizes& sizes);

  /// Runs a program on the weights and these arguments.
  std::vector<DeviceArray> run(const Program& program, std::vector<DeviceArray>& arguments);

  DeviceArray put(const Tensor& tensor) const { return device_.put(tensor.view()); }

 private:
  template <class Build>
  const Program& program(const std::string& key, const std::string& what, Build build);
  void load(const std::vector<nn::Parameter>& parameters);

  const Device& device_;
  hub::ModelFolder folder_;
  std::unique_ptr<const models::TextModel> model_;
  const DType dtype_;
  GenerationCallback* callback_ = nullptr;
  std::vector<std::string> names_;
  std::vector<DeviceArray> weights_;
  std::map<std::string, Program> programs_;
};

}  // namespace portatune::generate
