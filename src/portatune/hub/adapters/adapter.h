// A LoRA adapter on disk, as PEFT writes it: a folder beside the model that it belongs to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "portatune/hub.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/io/text/json.h"
#include "portatune/nn.h"

namespace portatune::hub {

inline constexpr const char* kAdapterConfig = "adapter_config.json";
/// Maximum size of a model's config.json and of adapter_config.json.
inline constexpr int64_t kMaxConfigBytes = 10'000'000;
/// Stem of the files of weights: "adapter_model.safetensors".
inline constexpr const char* kAdapterStem = "adapter_model";

/// Returns whether a folder has an adapter in place of a model.
bool is_adapter(const std::filesystem::path& folder);
/// The folder of the model that an adapter belongs to; the folder itself if it is no adapter. A relative path in
/// adapter_config.json starts from the adapter's folder or, as in PEFT, from the working directory.
/// errors  those of find_model(); CheckpointError if that is an adapter, too
std::filesystem::path base_of(const std::filesystem::path& folder);
/// The folder with config.json and the tokenizer: a folder that PEFT wrote has none, so its model supplies them.
/// errors  those of base_of()
std::filesystem::path folder_of_settings(const std::filesystem::path& folder);
/// The text of config.json of a model or of an adapter's model, with the values of `source`.
/// errors  those of base_of() and of edit_config()
std::string read_config_text(const ModelSource& source);
/// The same as an object.
/// errors  those of read_config_text() and of JsonObject::parse()
io::JsonObject read_config(const ModelSource& source);

/// The adapter in a folder. `files` keep the tensors mapped, whose names are those of parameters.
struct Adapter {
  Lora lora;  ///< its targets, ranks and alphas are those of single layers, by their paths
  std::vector<io::SafetensorsFile> files;
  std::vector<NamedTensorView> tensors;
};
/// errors  CheckpointError for another kind of adapter, for settings that change the computation in a way that
///         Portatune lacks, for weights that are no pairs A and B, and if there are none
Adapter read_adapter(const std::filesystem::path& folder);

/// The text of an adapter's adapter_config.json with another base model.
/// base    folder of a model
/// errors  UsageError for a base whose path is not UTF-8
std::string config_with_base(const std::filesystem::path& adapter, const std::filesystem::path& base);

/// Adapter::lora of the adapter in a folder; none for a model.
std::optional<Lora> lora_of(const std::filesystem::path& folder);

/// Writes adapter_config.json into a folder that has the config.json of the model.
/// parameters  names of the model's parameters
/// model       folder of the model, or of another adapter for it
void write_adapter_config(const std::filesystem::path& folder, const Lora& lora,
                          std::span<const std::string> parameters, const std::filesystem::path& model);

}  // namespace portatune::hub
