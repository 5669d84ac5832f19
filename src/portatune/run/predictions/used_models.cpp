#include "portatune/run/predictions/used_models.h"

namespace portatune::run {

std::vector<UsedModel> used_models(const std::filesystem::path& model, const std::vector<NamedAdapter>& adapters) {
  std::vector<UsedModel> models;
  if (adapters.empty()) models.push_back({.name = {}, .folder = model, .adapter = nullptr});
  for (const NamedAdapter& adapter : adapters) {
    auto rebased = std::make_unique<const hub::RebasedAdapter>(adapter.folder, model);
    models.push_back({.name = adapter.name, .folder = rebased->folder(), .adapter = std::move(rebased)});
  }
  return models;
}

std::vector<NamedEvaluation> evaluate(const EvaluateOptions& options, const std::vector<NamedAdapter>& adapters,
                                      Events& events) {
  std::vector<NamedEvaluation> evaluations;
  for (const UsedModel& model : used_models(options.model.folder, adapters)) {
    EvaluateOptions of_model = options;
    of_model.model.folder = model.folder;
    evaluations.push_back({model.name, evaluate(of_model, events)});
  }
  return evaluations;
}

}  // namespace portatune::run
