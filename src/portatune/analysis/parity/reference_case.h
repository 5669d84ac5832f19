// A stored case with results of transformers for a model; docs/results/parity.md describes the format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/hub/model_folder.h"
#include "portatune/nn.h"

namespace portatune::parity {

/// A result of transformers.
struct Recorded {
  std::string place;          ///< "FILE, tensor NAME", for errors
  Tensor values;              ///< float32
  std::vector<int64_t> rows;  ///< if `sparse`: indices of these rows in the tensor; the others are zero
  bool sparse = false;
  double torch_difference = 0;  ///< error of a float32 run of torch against float64; 0 if the case has none
};

class ReferenceCase {
 public:
  /// errors  NotFoundError, CheckpointError naming file and field for an invalid case
  explicit ReferenceCase(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  const hub::ModelFolder& model() const { return model_; }
  /// The content of case.json.
  const io::JsonObject& facts() const { return facts_; }
  /// The class in transformers.
  const std::string& architecture() const { return architecture_; }
  /// The model's inputs as float32 and int32; other types of the file are converted.
  const data::Example& inputs() const { return inputs_; }

  /// Sorted names in one of the files "expected", "grads", "after5", "generate"; empty if the case lacks the file.
  std::vector<std::string> names(const std::string& file) const;
  /// The names of a parameter in the file: a parameter that layers share may have several, or only that of another
  /// layer. The parameter's own name if the file has none of them.
  std::vector<std::string> names_of(const nn::Parameter& parameter, const std::string& file) const;
  /// "FILE, tensor NAME", for errors.
  std::string place_of(const std::string& file, const std::string& name) const;
  /// errors  CheckpointError that names file and tensor
  Recorded recorded(const std::string& file, const std::string& name) const;
  /// A tensor of integers, as int32.
  Tensor integers(const std::string& file, const std::string& name) const;
  /// Returns whether the gradient of a parameter is zero except for rounding.
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
