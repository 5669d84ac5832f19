// A stored case of what transformers computed for a model: docs/parity.md has the format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/hub/model_folder.h"
#include "portatune/nn.h"

namespace portatune::parity {

/// A tensor that transformers computed.
struct Recorded {
  std::string place;          ///< "FILE, tensor NAME", for errors
  Tensor values;              ///< float32
  std::vector<int64_t> rows;  ///< where `sparse`: which rows of the tensor these are; the others are zero
  bool sparse = false;
  double torch_difference = 0;  ///< between a float32 run of torch and the float64 truth; 0 if the case has none
};

class ReferenceCase {
 public:
  /// errors  NotFoundError, CheckpointError naming file and field for what is not a case
  explicit ReferenceCase(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  const hub::ModelFolder& model() const { return model_; }
  /// case.json
  const io::JsonObject& facts() const { return facts_; }
  /// The class in transformers.
  const std::string& architecture() const { return architecture_; }
  /// The model's inputs: float32 and int32; other types of the file are converted.
  const data::Example& inputs() const { return inputs_; }

  /// Names in one of the files "expected", "grads", "after5", "generate", sorted; none where the case lacks it.
  std::vector<std::string> names(const std::string& file) const;
  /// The names under which the file has a parameter: one that layers share may have several, or only that of another
  /// layer. The parameter's own name if the file has none of them.
  std::vector<std::string> names_of(const nn::Parameter& parameter, const std::string& file) const;
  /// "FILE, tensor NAME", for errors.
  std::string place_of(const std::string& file, const std::string& name) const;
  /// errors  CheckpointError that names file and tensor
  Recorded recorded(const std::string& file, const std::string& name) const;
  /// One of the tensors of integers, as int32.
  Tensor integers(const std::string& file, const std::string& name) const;
  /// Whether the gradient of a parameter is zero but for rounding.
  bool is_noise(const std::string& parameter) const;

 private:
  double torch_difference(const std::string& file, const std::string& name) const;

  std::filesystem::path path_;
  hub::ModelFolder model_;
  io::JsonObject facts_;
  std::string architecture_;
  data::Example inputs_;
  std::vector<std::string> noise_;
};

}  // namespace portatune::parity
