#include "portatune/hub/adapters/adapter.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter_names.h"
#include "portatune/hub/config_edit.h"
#include "portatune/hub/download/cache.h"
#include "portatune/hub/download/find_model.h"
#include "portatune/io/file/file.h"
#include "portatune/io/safetensors/tensor_files.h"
#include "portatune/io/text/json.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/nn/adapted_layers.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Settings that are read, or without an effect. "bias" and "init_lora_weights" are checked by value.
constexpr std::array<std::string_view, 27> kKnown = {"alpha_pattern",
                                                     "auto_mapping",
                                                     "base_model_name_or_path",
                                                     "bias",
                                                     "ensure_weight_tying",
                                                     "exclude_modules",
                                                     "fan_in_fan_out",
                                                     "inference_mode",
                                                     "init_lora_weights",
                                                     "layers_pattern",
                                                     "layers_to_transform",
                                                     "lora_alpha",
                                                     "lora_dropout",
                                                     "megatron_core",
                                                     "modules_to_save",
                                                     "peft_type",
                                                     "peft_version",
                                                     "qalora_group_size",
                                                     "r",
                                                     "rank_pattern",
                                                     "revision",
                                                     "runtime_config",
                                                     "target_modules",
                                                     "task_type",
                                                     "tie_word_embeddings",
                                                     "use_dora",
                                                     "use_rslora"};

CheckpointError unsupported(const fs::path& file, const std::string& given, const std::string& expected) {
  return CheckpointError({.where = file.string(),
                          .given = given,
                          .expected = expected,
                          .fix = "merge the adapter into its model with peft: merge_and_unload().save_pretrained()"});
}

bool is_empty(const Json& value) {
  return value.is_null() || value == false || ((value.is_object() || value.is_array()) && value.empty());
}

void require_plain_lora(const fs::path& file, const io::JsonObject& config) {
  const std::string type = config.get_string_or("peft_type", "none");
  if (type != "LORA") throw unsupported(file, "peft_type " + in_quotes(type), "a LoRA adapter, peft_type \"LORA\"");
  // Other ways to initialise it change the weights of the model.
  constexpr const char* kStart = "init_lora_weights";
  if (config.type_of(kStart) == "string" && config.get_string(kStart) != "gaussian") {
    throw unsupported(file, "init_lora_weights " + in_quotes(config.get_string(kStart)), "true, false or \"gaussian\"");
  }
}

LoraBias bias_in(const fs::path& file, const io::JsonObject& config) {
  const std::string name = config.get_string_or("bias", "none");
  if (const std::optional<LoraBias> bias = OptionType<LoraBias>::read(name)) return *bias;
  throw unsupported(file, "bias " + in_quotes(name), "none, all or lora_only");
}

void require_known(const fs::path& file, const Json& config) {
  for (const auto& [key, value] : config.items()) {
    if (std::ranges::find(kKnown, key) != kKnown.end() || is_empty(value)) continue;
    throw unsupported(file, in_quotes(key) + ": " + value.dump(), "LoRA without that setting");
  }
}

// Whether a pattern is so short that its search takes no time: std::regex tries all ways to divide a name.
bool is_simple(std::string_view pattern) {
  const auto is_quantifier = [](char c) { return c == '*' || c == '+' || c == '{' || c == '?'; };
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == ')' && is_quantifier(pattern[i + 1])) return false;
  }
  return pattern.size() <= 200 && std::ranges::count_if(pattern, is_quantifier) <= 3;
}

// Returns whether a regular expression of peft matches an end of a path, or a whole one if it begins with "^".
bool matches_pattern(const fs::path& file, const std::string& pattern, const std::string& module) {
  if (!is_simple(pattern) || module.size() > 300) {
    throw unsupported(file, "the pattern " + in_quotes(pattern), "a pattern with at most three quantifiers");
  }
  try {
    return std::regex_match(module, std::regex(pattern.starts_with('^') ? pattern : "(.*\\.)?(" + pattern + ")"));
  } catch (const std::regex_error&) {
    throw unsupported(file, "the pattern " + in_quotes(pattern), "regular expressions of ECMAScript");
  }
}

using AlphaPattern = std::vector<std::pair<std::string, double>>;

AlphaPattern alpha_pattern_of(const Json& config, const io::JsonObject& checked) {
  AlphaPattern patterns;
  const std::optional<io::JsonObject> object = checked.get_object("alpha_pattern");
  if (!object) return patterns;
  for (const auto& [pattern, value] : config.at("alpha_pattern").items()) {
    patterns.emplace_back(pattern, object->get_float(pattern));
  }
  return patterns;
}

// The settings of each layer that has an adapter in the file, so that all ways of naming layers are known.
void set_layers(const fs::path& file, const AlphaPattern& alphas, const std::vector<NamedTensorView>& tensors,
                Lora& lora) {
  const std::string end_of_a = "." + std::string(nn::kLoraA) + ".weight";
  for (const NamedTensorView& tensor : tensors) {
    if (!tensor.name.ends_with(end_of_a)) continue;
    const std::string module(nn::layer_of_adapter(tensor.name));
    lora.target_modules.push_back(module);
    const Shape& shape = tensor.view.type.shape;
    if (shape.rank() != 2 || shape[0] < 1) {
      throw CheckpointError({.where = file.parent_path().string(),
                             .given = tensor.name + " of shape " + to_string(shape),
                             .expected = "[rank, in] with a rank of at least 1"});
    }
    const int64_t rank = shape[0];
    if (rank != lora.rank) lora.rank_pattern[module] = rank;
    const std::string in_memory = module_in_transformers(module);
    const auto of_module = [&](const auto& pattern) {
      return matches_pattern(file, pattern.first, module) || matches_pattern(file, pattern.first, in_memory);
    };
    const auto alpha = std::ranges::find_if(alphas, of_module);
    if (alpha != alphas.end()) lora.alpha_pattern[module] = alpha->second;
  }
  std::ranges::sort(lora.target_modules);
}

void require_pairs(const fs::path& folder, const std::vector<NamedTensorView>& tensors, bool use_dora) {
  std::set<std::string_view> names;
  for (const NamedTensorView& tensor : tensors) names.insert(tensor.name);
  size_t pairs = 0;
  for (const NamedTensorView& tensor : tensors) {
    const std::string layer(nn::layer_of_adapter(tensor.name));
    if (layer.empty()) continue;
    ++pairs;
    std::vector<std::string> parts = {std::string(nn::kLoraA) + ".weight", std::string(nn::kLoraB) + ".weight"};
    if (use_dora) parts.emplace_back(nn::kMagnitude);
    for (const std::string& part : parts) {
      const std::string other = layer + "." + part;
      if (names.contains(other)) continue;
      throw CheckpointError({.where = folder.string(),
                             .given = "the tensor " + tensor.name + " without " + other,
                             .expected = "all weights of each adapter",
                             .fix = "use an undamaged copy of the adapter"});
    }
  }
  if (pairs > 0) return;
  throw CheckpointError({.where = folder.string(),
                         .given = "no adapter of a linear layer",
                         .expected = "tensors with names that end in lora_A.weight and lora_B.weight"});
}

// Returns whether a tensor is one of the two further biases that PEFT writes for a saved module.
bool is_duplicate(const std::string& name) {
  return name.ends_with(".modules_to_save.bias") || name.ends_with(".original_module.bias");
}

std::vector<NamedTensorView> tensors_in(const fs::path& folder, const std::vector<io::SafetensorsFile>& files) {
  std::vector<NamedTensorView> tensors;
  for (const io::SafetensorsFile& file : files) {
    for (const io::SafetensorsEntry& entry : file.entries()) {
      if (!entry.name.starts_with(kAdapterPrefix)) {
        throw CheckpointError({.where = folder.string(),
                               .given = "the tensor " + entry.name,
                               .expected = "names that start with " + std::string(kAdapterPrefix)});
      }
      if (is_duplicate(entry.name)) continue;
      tensors.push_back({parameter_in_adapter(entry.name), file.view(entry)});
    }
  }
  return tensors;
}

// The task of PEFT for a class of transformers; null for others. PEFT's classes for tasks give the model input_ids,
// which these do not have.
Json task_type_of(const io::JsonObject& config) {
  constexpr std::array<std::string_view, 3> kModelsOfSounds = {"hubert", "wav2vec2", "whisper"};
  if (std::ranges::find(kModelsOfSounds, config.get_string_or("model_type", "")) != kModelsOfSounds.end()) return {};
  constexpr std::pair<std::string_view, const char*> kTasks[] = {
      {"ForSequenceClassification", "SEQ_CLS"},
      {"ForTokenClassification", "TOKEN_CLS"},
      {"ForQuestionAnswering", "QUESTION_ANS"},
      {"ForCausalLM", "CAUSAL_LM"},
      {"LMHeadModel", "CAUSAL_LM"},
      {"ForConditionalGeneration", "SEQ_2_SEQ_LM"},
      {"MTModel", "SEQ_2_SEQ_LM"},
  };
  for (const std::string& name : config.get_strings("architectures")) {
    for (const auto& [end, task] : kTasks) {
      if (name.ends_with(end)) return task;
    }
  }
  return nullptr;
}

// The config.json of the model in a folder. That of a custom task may be absent.
io::JsonObject config_beside(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  return fs::exists(file) ? io::JsonObject::read(file) : io::JsonObject::parse("{}", file.string());
}

// The absolute path of a model, for a JSON file.
std::string utf8_path_of(const fs::path& model) {
  std::string path = fs::canonical(model).string();
  if (find_invalid_utf8(path) == std::string_view::npos) return path;
  throw UsageError({.where = path,
                    .given = "a name that is not UTF-8",
                    .expected = "a path that " + std::string(kAdapterConfig) + " can hold: UTF-8",
                    .fix = "rename the folder"});
}

// Name and revision of a model: those on the Hub for a snapshot in its cache.
std::pair<std::string, Json> name_of(const fs::path& model) {
  const std::optional<io::HubName> name = hub_name_of(model);
  if (!name) return {fs::weakly_canonical(model).string(), nullptr};
  return {name->name, name->revision};
}

// The layers with an adapter, and their names in transformers.
std::map<std::string, std::string> adapted_layers(std::span<const std::string> parameters) {
  std::map<std::string, std::string> layers;
  for (const std::string& parameter : parameters) {
    const std::string layer(nn::layer_of_adapter(parameter));
    if (!layer.empty()) layers.emplace(layer, module_in_transformers(layer));
  }
  return layers;
}

bool have_other_names(const std::map<std::string, std::string>& layers) {
  return std::ranges::any_of(layers, [](const auto& layer) { return layer.first != layer.second; });
}

// The targets as transformers calls them: the layers of a model whose names differ, or in place of kAllLinear.
std::vector<std::string> targets_of(const Lora& lora, const std::map<std::string, std::string>& layers) {
  const bool has_all = std::ranges::find(lora.target_modules, kAllLinear) != lora.target_modules.end();
  if (!has_all && !have_other_names(layers)) return lora.target_modules;
  std::vector<std::string> targets;
  for (const auto& [layer, in_transformers] : layers) targets.push_back(in_transformers);
  return targets;
}

// A pattern as transformers calls its modules: each layer of a model whose names differ.
template <class Number>
std::map<std::string, Number> in_transformers(const std::map<std::string, Number>& pattern,
                                              const std::map<std::string, std::string>& layers) {
  if (!have_other_names(layers)) return pattern;
  std::map<std::string, Number> named;
  for (const auto& [layer, in_transformers] : layers) {
    const auto found = std::ranges::find_if(pattern, [&](const auto& one) { return nn::is_named(layer, one.first); });
    if (found != pattern.end()) named.emplace(in_transformers, found->second);
  }
  return named;
}

std::vector<std::string> saved_modules_of(Lora lora, std::span<const std::string> parameters) {
  std::erase_if(lora.modules_to_save, [&](const std::string& module) {
    const Lora one{.modules_to_save = {module}};
    return std::ranges::none_of(parameters, [&](const std::string& name) { return nn::is_saved(one, name); });
  });
  return lora.modules_to_save;
}

}  // namespace

bool is_adapter(const fs::path& folder) { return fs::exists(folder / kAdapterConfig); }

fs::path base_of(const fs::path& folder) {
  if (!is_adapter(folder)) return folder;
  const fs::path file = folder / kAdapterConfig;
  const io::JsonObject config = io::JsonObject::read(file);
  const std::string name = config.get_string("base_model_name_or_path"),
                    revision = config.get_string_or("revision", "");
  const bool is_beside = fs::path(name).is_relative() && fs::is_directory(folder / name);
  const bool is_path = is_beside || revision.empty() || fs::exists(name);
  const fs::path found = find_model(is_beside ? folder / name : fs::path(is_path ? name : name + "@" + revision),
                                    Contents::kModel, file.string() + ", base_model_name_or_path");
  if (!is_adapter(found)) return found;
  throw CheckpointError({.where = file.string(),
                         .given = "another adapter, " + found.string() + ", as the model",
                         .expected = "the folder of a whole model",
                         .fix = "merge that adapter into its model first: portatune merge"});
}

fs::path folder_of_settings(const fs::path& folder) {
  return fs::exists(folder / "config.json") ? folder : base_of(folder);
}

std::string read_config_text(const ModelSource& source) {
  const fs::path file = folder_of_settings(source.folder) / "config.json";
  std::string text = io::read_text(file, kMaxConfigBytes);
  return source.config.empty() ? text : edit_config(text, file.string(), {.values = source.config});
}

io::JsonObject read_config(const ModelSource& source) {
  return io::JsonObject::parse(read_config_text(source), (folder_of_settings(source.folder) / "config.json").string());
}

Adapter read_adapter(const fs::path& folder) {
  const fs::path file = folder / kAdapterConfig;
  const std::string text = io::read_text(file, kMaxConfigBytes);
  const io::JsonObject checked = io::JsonObject::parse(text, file.string());
  const Json config = Json::parse(text);
  require_plain_lora(file, checked);
  require_known(file, config);
  Adapter adapter{.lora = {.rank = checked.get_int_or("r", 8, {.least = 1}),
                           .alpha = checked.get_float_or("lora_alpha", 8),
                           .use_rslora = checked.get_bool_or("use_rslora", false),
                           .use_dora = checked.get_bool_or("use_dora", false),
                           .dropout = checked.get_float_or("lora_dropout", 0),
                           .bias = bias_in(file, checked),
                           .modules_to_save = checked.get_strings("modules_to_save")},
                  .files = io::open_tensor_files(folder, kAdapterStem)};
  if (adapter.files.empty()) {
    throw CheckpointError(
        {.where = folder.string(), .given = "an adapter without weights", .expected = io::tensor_file(kAdapterStem)});
  }
  adapter.tensors = tensors_in(folder, adapter.files);
  require_pairs(folder, adapter.tensors, adapter.lora.use_dora);
  set_layers(file, alpha_pattern_of(config, checked), adapter.tensors, adapter.lora);
  return adapter;
}

std::string config_with_base(const fs::path& adapter, const fs::path& base) {
  const fs::path file = adapter / kAdapterConfig;
  Json config = io::parse_json_object(io::read_text(file, kMaxConfigBytes), file.string());
  config["base_model_name_or_path"] = utf8_path_of(base);
  config["revision"] = nullptr;
  return io::indented_text(config);
}

std::optional<Lora> lora_of(const fs::path& folder) {
  return is_adapter(folder) ? std::optional(read_adapter(folder).lora) : std::nullopt;
}

void write_adapter_config(const fs::path& folder, const Lora& lora, std::span<const std::string> parameters,
                          const fs::path& model) {
  const io::JsonObject config = config_beside(folder);
  const auto [name, revision] = name_of(base_of(model));
  const std::map<std::string, std::string> layers = adapted_layers(parameters);
  std::vector<std::string> targets = targets_of(lora, layers);
  std::ranges::sort(targets);
  const std::vector<std::string> saved = saved_modules_of(lora, parameters);
  const Json adapter = {{"alpha_pattern", in_transformers(lora.alpha_pattern, layers)},
                        {"base_model_name_or_path", name},
                        {"bias", name_in_table(lora.bias)},
                        {"exclude_modules", nullptr},
                        {"fan_in_fan_out", config.get_string_or("model_type", "") == "gpt2"},
                        {"inference_mode", true},
                        {"init_lora_weights", true},
                        {"layers_pattern", nullptr},
                        {"layers_to_transform", nullptr},
                        {"lora_alpha", lora.alpha},
                        {"lora_bias", false},
                        {"lora_dropout", lora.dropout},
                        {"modules_to_save", saved.empty() ? Json(nullptr) : Json(saved)},
                        {"peft_type", "LORA"},
                        {"r", lora.rank},
                        {"rank_pattern", in_transformers(lora.rank_pattern, layers)},
                        {"revision", revision},
                        {"target_modules", targets},
                        {"task_type", task_type_of(config)},
                        {"use_dora", lora.use_dora},
                        {"use_rslora", lora.use_rslora}};
  io::write_file(folder / kAdapterConfig, io::indented_text(adapter));
}

}  // namespace portatune::hub
