#include "portatune/run/inputs/task/adapter.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/models.h"

namespace portatune::run {

std::optional<Lora> adapters_of(const RunOptions& options, const std::filesystem::path& model) {
  if (!options.adapter && options.lora != Lora{}) {
    throw UsageError({.where = "adapter", .given = "options of adapters without it", .expected = "--adapter lora"});
  }
  if (!options.adapter) return hub::lora_of(model);
  if (model == options.model.folder && hub::is_adapter(model)) {
    throw UsageError({.where = "adapter",
                      .given = "a new adapter for " + model.string() + ", which is an adapter itself",
                      .expected = "a model, or no new adapter",
                      .fix = "leave out --adapter to train it further, or merge it into its model: portatune merge"});
  }
  Lora lora = options.lora;
  if (lora.target_modules.empty()) lora.target_modules = models::lora_targets(hub::read_config(model));
  for (const char* head : kHeadModules) {
    if (std::ranges::find(lora.modules_to_save, head) == lora.modules_to_save.end()) {
      lora.modules_to_save.emplace_back(head);
    }
  }
  return lora;
}

TrainingOptions options_without_training(const std::filesystem::path& model, DType dtype) {
  return {.dtype = dtype, .new_weights = NewWeights::kNone, .lora = hub::lora_of(model)};
}

}  // namespace portatune::run
