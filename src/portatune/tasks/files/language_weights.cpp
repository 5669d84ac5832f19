#include "portatune/tasks/files/language_weights.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/nn/adapted_layers.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;

// Returns whether a parameter belongs to the language, and not to a LoRA adapter.
bool is_of_language(const std::string& name) {
  if (!nn::layer_of_adapter(name).empty()) return false;
  return name.starts_with("lm_head.") || name.find(".adapter_layer.") != std::string::npos;
}

// Sets a value of the checkpoint, so that no report lists the parameter as new.
void set_known(const nn::Parameter& parameter, Tensor value, size_t index, InitialWeights& weights) {
  weights.values[index] = std::move(value);
  for (auto* names : {&weights.report.missing, &weights.report.replaced, &weights.report.body}) {
    std::erase(*names, parameter.name);
  }
}

Tensor value_in(const io::SafetensorsFile& file, const nn::Parameter& parameter) {
  const std::optional<TensorView> view = file.find(parameter.name);
  if (!view || view->type.shape != parameter.type.shape || !is_float(view->type.dtype)) {
    throw CheckpointError({.where = file.path().string() + ", tensor " + parameter.name,
                           .given = view ? to_string(view->type) : "no such tensor",
                           .expected = to_string(parameter.type) + ", by config.json"});
  }
  return Tensor(view->type.shape, std::span<const float>(to_floats(*view)));
}

}  // namespace

fs::path language_file(const fs::path& model, const std::string& language) {
  return hub::base_of(model) / ("adapter." + language + ".safetensors");
}

int64_t vocab_size_of_language(const fs::path& file) {
  const auto weights = io::SafetensorsFile::open(file);
  const std::optional<TensorView> head = weights.find("lm_head.weight");
  if (head && head->type.shape.rank() == 2) return head->type.shape[0];
  throw CheckpointError({.where = file.string(),
                         .given = "no matrix lm_head.weight",
                         .expected = "the adapters and the head of a language, as transformers writes them"});
}

void read_language(const fs::path& file, std::span<const nn::Parameter> parameters, InitialWeights& weights) {
  const auto language = io::SafetensorsFile::open(file);
  std::vector<std::string> unknown;
  for (const auto& entry : language.entries()) unknown.push_back(entry.name);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!is_of_language(parameters[i].name)) continue;
    set_known(parameters[i], value_in(language, parameters[i]), i, weights);
    std::erase(unknown, parameters[i].name);
  }
  language.require_whole();
  if (unknown.empty()) return;
  throw CheckpointError({.where = file.string(),
                         .given = "tensors without a parameter: " + list_of(unknown, 4),
                         .expected = "the adapters and the head of a language for this model"});
}

void draw_language(std::span<const nn::Parameter> parameters, uint64_t seed, InitialWeights& weights) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const nn::Parameter& parameter = parameters[i];
    if (!is_of_language(parameter.name)) continue;
    set_known(parameter, hub::draw(parameter, seed), i, weights);
    weights.report.missing.push_back(parameter.name);
  }
}

}  // namespace portatune::tasks
