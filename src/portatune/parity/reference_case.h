// A stored case of what transformers computed for a model: docs/parity.md has the format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/hub/model_folder.h"

namespace portatune::parity {

/// How far a float32 run of torch is from the float64 truth; 0 where the case does not say.
struct Recorded {
  Tensor values;              ///< float32
  std::vector<int64_t> rows;  ///< where `sparse`: which rows of the tensor these are; the others are zero
  bool sparse = false;
  double torch_difference = 0;
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
  /// The model's inputs, integers as int32.
  const data::Example& inputs() const { return inputs_; }

  /// Names in one of the files "expected", "grads", "after5", "generate", sorted; none where the case lacks it.
  std::vector<std::string> names(const std::string& file) const;
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
