#include <utility>

#include "portatune/error.h"
#include "portatune/run.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/predictions/prediction_lines.h"
#include "portatune/run/remarks.h"

namespace portatune::run {
namespace {

constexpr auto kPredictedLabels = RowTask::Labels::kIgnored;
constexpr int64_t kShortestLength = 16;

std::vector<int64_t> powers_of_two(int64_t max_length) {
  std::vector<int64_t> lengths;
  for (int64_t length = kShortestLength; length < max_length; length *= 2) lengths.push_back(length);
  lengths.push_back(max_length);
  return lengths;
}

// The same rows with their numbers as origins, for errors.
data::Dataset numbered(const std::vector<data::Example>& rows) {
  const auto file = std::make_shared<const std::string>("rows");
  std::vector<data::Example> result;
  for (const data::Example& row : rows) {
    data::Example& copy = result.emplace_back(data::Origin{file, std::ssize(result) + 1});
    for (const auto& [name, value] : row.columns()) copy.set(name, value);
  }
  return data::from_examples(std::move(result));
}

// The options of a device, which must be that of one process, as only one has the rows.
const DeviceOptions& checked(const DeviceOptions& device) {
  if (device.processes == nullptr) return device;
  throw UsageError({.where = "Predictor", .given = "several processes", .expected = "a predictor in one process"});
}

}  // namespace

struct Predictor::Impl {
  Impl(const PredictorOptions& options, Events& events)
      : model(options.model),
        batch_size(rows_on(options.device.mesh, options.batch_size)),
        device(with_warnings(checked(options.device), events)) {
    lower_max_length(model, model.folder, events);
    task = open_task(model, model.folder, {}, Classes::kOfModel, events);
    task->set_batch_share(batch_share(options.device.mesh, nullptr));
    for (const std::string& line : remarks_on_config(task->unknown_config_keys())) events.notice(line);
    if (task->varies_in_length()) task->set_lengths(powers_of_two(task->max_length()));
    trainer.emplace(device, *task, options_without_training(model.folder, options.dtype));
    for (const std::string& line : remarks(trainer->load_report())) events.notice(line);
  }

  ModelOptions model;
  int64_t batch_size;
  Device device;
  std::unique_ptr<RowTask> task;
  std::optional<Trainer> trainer;
};

Predictor::Predictor(const PredictorOptions& options, Events& events)
    : impl_(std::make_unique<Impl>(options, events)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

std::vector<std::string> Predictor::predict(const std::vector<data::Example>& rows) {
  if (rows.empty()) return {};
  const std::unique_ptr<PredictionLines> lines = impl_->task->prediction_lines();
  std::string text;
  impl_->trainer->predict(
      evaluation_batches(impl_->model, *impl_->task, numbered(rows), impl_->batch_size, kPredictedLabels),
      [&](const data::Example& batch, const data::Example& outputs) { text += lines->take(batch, outputs); });
  return lines_of(text + lines->finish());
}

}  // namespace portatune::run
