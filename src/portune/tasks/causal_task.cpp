#include "portune/tasks/causal_task.h"

#include "portune/ops.h"
#include "portune/tasks/language_model.h"
#include "portune/tasks/objectives.h"

namespace portune::tasks {

std::vector<std::string> CausalTask::inputs() const { return checkpoint().inputs({"labels"}); }

Forward CausalTask::forward(const nn::Scope& root, const Columns& batch) const {
  const Value x = checkpoint().model().hidden_states(root, checkpoint().inputs_of(batch)).back();
  // The last place predicts what is not there.
  const int64_t seq = x.shape()[1];
  const Value logits = checkpoint().model().causal_lm_logits(root, slice(x, 1, {0, seq - 1}));
  return language_modelling(logits, slice(batch.at("labels"), 1, {1, seq}),
                            batch.at(std::string(data::kExampleWeight)));
}

std::unique_ptr<Metrics> CausalTask::metrics() const { return std::make_unique<LanguageModelMetrics>(); }

std::unique_ptr<PredictionLines> CausalTask::prediction_lines() const { return std::make_unique<LanguageModelLines>(); }

void CausalTask::save(const std::filesystem::path& folder, std::span<const NamedTensorView> weights) const {
  checkpoint().save(folder, {.architecture = checkpoint().model().class_name(models::HeadKind::kCausalLM)}, weights);
}

}  // namespace portune::tasks
