#include "portatune/train/program/program_checks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/nn/adapted_layers.h"
#include "portatune/nn/name_pattern.h"

namespace portatune::train {
namespace {

// parts  number of parts into which the rows of a batch are divided
void require_divisible(const Signature& batch, int64_t parts, const std::string& where) {
  for (const auto& [name, type] : batch) {
    const int64_t packed_in = type.shape.rank() == 3 ? type.shape[0] : 1;
    if (name.ends_with(data::kTokenPlaces) && packed_in != parts) {
      throw UsageError({.where = where,
                        .given = "a packed batch of " + counted(packed_in, "part"),
                        .expected = counted(parts, "part") + ": one for each micro-batch of each device",
                        .fix = "set PackedShapes::parts"});
    }
    if (parts == 1 || (type.shape.rank() > 0 && type.shape[0] % parts == 0)) continue;
    throw UsageError(
        {.where = where,
         .given = "a batch with " + name + " " + to_string(type),
         .expected = "a number of rows that is a multiple of " + std::to_string(parts) + ": devices x micro-batches",
         .fix = "make batches of a multiple of " + std::to_string(parts) + " rows, and pad the last"});
  }
}

void require_frozen_as_asked(const std::deque<nn::Parameter>& parameters, const std::vector<std::string>& frozen) {
  for (const std::string& pattern : frozen) {
    if (std::ranges::any_of(parameters, [&](const nn::Parameter& p) { return nn::matches(p, pattern); })) continue;
    throw UsageError({.where = "freeze",
                      .given = in_quotes(pattern) + ", which no parameter has in its name",
                      .expected = "consecutive modules of names such as " + parameters.front().name,
                      .fix = "give whole modules: embeddings, or encoder.layer.0-5 for six layers"});
  }
  if (std::ranges::any_of(parameters, &nn::Parameter::trainable)) return;
  throw UsageError({.where = "freeze",
                    .given = "patterns that match all parameters",
                    .expected = "a parameter to train",
                    .fix = "freeze fewer parameters"});
}

// Whether a layer with an adapter is named by this end of its path.
bool has_adapter(const std::deque<nn::Parameter>& parameters, const std::string& name) {
  return std::ranges::any_of(parameters, [&name](const nn::Parameter& parameter) {
    const std::string_view layer = nn::layer_of_adapter(parameter.name);
    return !layer.empty() && (name == kAllLinear || nn::is_named(layer, name));
  });
}

// A module for errors, which users may name: that of the first matrix in a layer, or else of the first parameter.
std::string example_module(const std::deque<nn::Parameter>& parameters) {
  constexpr std::string_view kWeight = ".weight";
  const auto is_matrix_of_layer = [&](const nn::Parameter& parameter) {
    return parameter.layer && parameter.type.shape.rank() == 2 && parameter.name.ends_with(kWeight) &&
           nn::layer_of_adapter(parameter.name).empty();
  };
  const auto found = std::ranges::find_if(parameters, is_matrix_of_layer);
  const std::string& name = found == parameters.end() ? parameters.front().name : found->name;
  return name.ends_with(kWeight) ? name.substr(0, name.size() - kWeight.size()) : name;
}

void require_targets(const std::deque<nn::Parameter>& parameters, const Lora& lora) {
  for (const std::string& target : lora.target_modules) {
    if (has_adapter(parameters, target)) continue;
    throw UsageError({.where = "lora_target_modules",
                      .given = in_quotes(target) + ", which is no linear layer of the model",
                      .expected = "the end of a name such as " + example_module(parameters),
                      .fix = std::string("give names of linear layers, or ") + kAllLinear});
  }
}

template <class Number>
void require_adapters(const std::deque<nn::Parameter>& parameters, const char* option,
                      const std::map<std::string, Number>& pattern) {
  for (const auto& [module, number] : pattern) {
    if (module != kAllLinear && has_adapter(parameters, module)) continue;
    throw UsageError({.where = option,
                      .given = in_quotes(module) + ", which is no layer with an adapter",
                      .expected = "ends of the names of layers that --lora-target-modules chooses"});
  }
}

void require_saved_modules(const std::deque<nn::Parameter>& parameters, const Lora& lora) {
  for (const std::string& module : lora.modules_to_save) {
    const Lora one{.modules_to_save = {module}};
    const auto has = [&](const nn::Parameter& parameter) { return nn::is_saved(one, parameter.name); };
    if (std::ranges::find(kHeadModules, module) != std::end(kHeadModules)) continue;
    if (std::ranges::any_of(parameters, has)) continue;
    throw UsageError({.where = "modules_to_save",
                      .given = in_quotes(module) + ", which no module of the model ends in",
                      .expected = "the end of a name such as " + example_module(parameters)});
  }
}

}  // namespace

void require_parts(const Signature& batch, const Mesh& mesh, int64_t micro_batches) {
  const int64_t devices = mesh.size(kBatchAxes);
  std::string where = "mesh " + to_string(mesh);
  if (micro_batches > 1) where += ", gradient_accumulation_steps " + std::to_string(micro_batches);
  require_divisible(batch, devices * micro_batches, where);
}

void require_trainable_as_asked(const std::deque<nn::Parameter>& parameters, std::span<const nn::Parameter> trainable,
                                const StepOptions& options) {
  require_frozen_as_asked(parameters, options.frozen);
  require_group_members(trainable, options.groups);
  if (!options.lora) return;
  require_targets(parameters, *options.lora);
  require_adapters(parameters, "lora_rank_pattern", options.lora->rank_pattern);
  require_adapters(parameters, "lora_alpha_pattern", options.lora->alpha_pattern);
  require_saved_modules(parameters, *options.lora);
}

}  // namespace portatune::train
