#include "portatune/tasks/causal_task.h"

#include "portatune/ops.h"
#include "portatune/tasks/metrics/language_model.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/rows/text_rows.h"

namespace portatune::tasks {

CausalTask::CausalTask(const ModelSource& model, int64_t max_length, double label_smoothing)
    : TextTask(model, max_length), label_smoothing_(label_smoothing) {}

std::vector<std::string> CausalTask::inputs() const { return checkpoint().inputs({"labels"}); }

Forward CausalTask::forward(const nn::Scope& root, const Columns& batch) const {
  const TextRows texts(checkpoint(), batch);
  const models::TextModel& model = checkpoint().model();
  const Value x = model.body().hidden_states(root, texts.rows()).back();
  const LanguageModelHead head{.model = model,
                               .kind = models::HeadKind::kCausalLM,
                               .root = root,
                               .label_smoothing = root.options().training ? label_smoothing_ : 0};
  return language_modelling(texts, head, x, next_labels(batch.at("labels")),
                            batch.at(std::string(data::kExampleWeight)));
}

std::unique_ptr<Metrics> CausalTask::metrics() const { return std::make_unique<LanguageModelMetrics>(); }

std::unique_ptr<PredictionLines> CausalTask::prediction_lines() const { return std::make_unique<LanguageModelLines>(); }

void CausalTask::save(const std::filesystem::path& folder) const {
  checkpoint().save(folder, {.architecture = checkpoint().model().class_name(models::HeadKind::kCausalLM)});
}

}  // namespace portatune::tasks
