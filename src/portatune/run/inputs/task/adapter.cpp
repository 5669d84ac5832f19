#include "portatune/run/inputs/task/adapter.h"

#include <algorithm>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/download/cache.h"
#include "portatune/models.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/tasks/speech_ctc.h"

namespace portatune::run {
namespace {

// Requires a name that the file of a saved adapter can hold.
void require_utf8(const std::filesystem::path& model) {
  const std::string path = std::filesystem::weakly_canonical(model).string();
  if (hub::hub_name_of(model) || find_invalid_utf8(path) == std::string_view::npos) return;
  throw UsageError({.where = "adapter",
                    .given = "an adapter for the model " + in_quotes(path) + ", a path which is not UTF-8",
                    .expected = "a path in UTF-8, as a saved adapter names its model in JSON",
                    .fix = "rename the folders of the path, or copy the model to another place"});
}

void save(const char* module, Lora& lora) {
  std::vector<std::string>& saved = lora.modules_to_save;
  if (std::ranges::find(saved, module) == saved.end()) saved.emplace_back(module);
}

}  // namespace

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
  require_utf8(options.model.folder);
  Lora lora = options.lora;
  if (lora.target_modules.empty()) lora.target_modules = models::lora_targets(hub::read_config(model));
  for (const char* head : kHeadModules) save(head, lora);
  // Other tasks tie the module of this name to the embeddings of the model.
  if (spec_of(options.model, model).name == speech_ctc_spec().name) save("lm_head", lora);
  return lora;
}

TrainingOptions options_without_training(const std::filesystem::path& model, DType dtype) {
  return {.dtype = dtype, .new_weights = NewWeights::kNone, .lora = hub::lora_of(model)};
}

}  // namespace portatune::run
