// A Hugging Face model folder on disk: config.json, weights, tokenizer files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/hub.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json.h"

namespace portatune::hub {

/// Subfolder of the further chat templates of a model.
inline constexpr std::string_view kTemplateFolder = "additional_chat_templates";

/// True if a file of this name belongs to a model beside config and weights: tokenizer, preprocessor, chat templates or
/// generation settings.
/// name  path in the model folder
bool is_companion_file(std::string_view name);

/// A file that belongs to a model beside config and weights.
struct CompanionFile {
  std::string name;  ///< its path in the model folder
  io::MappedFile content;
};

/// A model folder that is open for reading. Weights are mapped, not copied. Everything else is in memory, so later
/// changes of the folder do not affect a copy of the model.
class ModelFolder {
 public:
  /// Reads config.json and opens the WeightFiles. Shards must be files of this folder. Together they must hold exactly
  /// the tensors that the index assigns to each, and no name twice. Old names (`LayerNorm.gamma`, `LayerNorm.beta`,
  /// `conv.weight_g`, `conv.weight_v`) become the present ones, as in transformers.
  /// A folder with a PEFT adapter is the model of the adapter: the weights of its base model and its own, which have
  /// the names of parameters. Its config.json and companion files are those of the base model if it has none.
  /// errors    NotFoundError if folder or config.json is missing; CheckpointError that names the faulty file; IoError
  ///           for a companion file that cannot be read
  static ModelFolder open(const std::filesystem::path& folder);
  /// Same as open(), but the folder may have no weights, as that of a model to train from scratch. config() and
  /// config_text() have the values of `source`.
  static ModelFolder open_config(const ModelSource& source);

  const std::filesystem::path& path() const { return path_; }
  /// ModelSource::valid_checkpoint
  const ValidCheckpoint* valid_checkpoint() const { return valid_checkpoint_.get(); }
  const io::JsonObject& config() const { return config_; }
  /// The text of config.json, unchanged.
  const std::string& config_text() const { return config_text_; }

  /// The adapter whose weights are among the tensors; none for a plain model.
  const std::optional<Lora>& lora() const { return lora_; }

  /// All tensors, sorted by name. The views are valid as long as this object.
  std::span<const NamedTensorView> tensors() const { return tensors_; }
  std::optional<TensorView> find(std::string_view name) const;
  bool has_weights() const { return files_.has_value(); }
  /// errors    CheckpointError if the folder has no weights
  void require_weights() const;
  /// Changes config() and config_text(), not the file.
  void edit_config(const ConfigChanges& changes);
  /// Checks that the files are still complete. Call it after reading tensors.
  /// errors    IoError that names the file that became shorter since it was opened
  void require_whole() const;

  /// The companion files, sorted by name. A copy of the model needs them byte for byte.
  std::span<const CompanionFile> companion_files() const { return companions_; }

 private:
  ModelFolder(std::filesystem::path path, std::string config_text, io::JsonObject config,
              std::optional<WeightFiles> files, std::vector<CompanionFile> companions);
  void add_first_module(const Lora& lora);
  void add(Adapter adapter);

  std::filesystem::path path_;
  std::shared_ptr<const ValidCheckpoint> valid_checkpoint_;
  std::string config_text_;
  io::JsonObject config_;
  std::optional<WeightFiles> files_;
  std::vector<io::SafetensorsFile> adapter_files_;
  std::vector<NamedTensorView> tensors_;
  std::vector<CompanionFile> companions_;
  std::optional<Lora> lora_;
};

/// Writes the companion files of a model to an existing folder.
void write_companions(const ModelFolder& model, const std::filesystem::path& folder);

}  // namespace portatune::hub
