#include "portatune/cli/predict/adapters.h"

namespace portatune::cli {

std::vector<UsedModel> used_models(const std::filesystem::path& model, const std::vector<NamedAdapter>& adapters) {
  std::vector<UsedModel> models;
  if (adapters.empty()) models.push_back({.name = {}, .folder = model, .adapter = nullptr});
  for (const NamedAdapter& adapter : adapters) {
    auto rebased = std::make_unique<const hub::RebasedAdapter>(adapter.folder, model);
    models.push_back({.name = adapter.name, .folder = rebased->folder(), .adapter = std::move(rebased)});
  }
  return models;
}

}  // namespace portatune::cli
