#include "portatune/tasks/prediction_task.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/tasks/text_folder.h"

namespace portatune::tasks {
namespace {

constexpr int64_t kMaxDefaultLength = 512;

UsageError learns_nothing() {
  return UsageError({.where = "the task",
                     .given = "a task that only predicts",
                     .expected = "a task that learns from labels, such as text-classification"});
}

}  // namespace

int64_t length_of_predictions(const ModelSource& model, std::optional<int64_t> given,
                              std::optional<int64_t> suggested) {
  if (given) return *given;
  const int64_t positions = models::text_model(open_text_folder(model).config())->facts().max_length;
  return std::min(positions, suggested.value_or(kMaxDefaultLength));
}

std::unique_ptr<Metrics> PredictionTask::metrics() const { throw learns_nothing(); }

void PredictionTask::save(const std::filesystem::path&) const { throw learns_nothing(); }

Forward PredictionTask::predicted(const Columns& batch, std::vector<std::pair<std::string, Value>> outputs) {
  const Value& weights = batch.at(std::string(data::kExampleWeight));
  return {.loss_sum = full({DType::kFloat32, {}}, 0), .weight_sum = sum(weights), .outputs = std::move(outputs)};
}

SeveralExamplesTask::SeveralExamplesTask(const ModelSource& model, std::optional<int64_t> max_length,
                                         std::string text_column)
    : PredictionTask(model, length_of_predictions(model, max_length)), text_column_(std::move(text_column)) {}

data::Dataset SeveralExamplesTask::batches(const data::Dataset& rows, int64_t size, Labels) const {
  return checkpoint().batches(examples(rows), size);
}

data::Dataset SeveralExamplesTask::examples(const data::Dataset& rows) const {
  return rows.flat_map([this](const data::Example& row) { return encode(row); });
}

}  // namespace portatune::tasks
