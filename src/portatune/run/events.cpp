#include <algorithm>
#include <iterator>

#include "portatune/run.h"

namespace portatune::run {

void RowProgress::add(int64_t rows) {
  rows_ += rows;
  on_rows(rows);
}

data::Dataset RowProgress::over(const data::Dataset& batches) & {
  return batches.filter([this](const data::Example& batch) {
    add(std::max<int64_t>(1, std::ssize(batch.row_origins())));
    return true;
  });
}

void TrainingObserver::on_step(const StepResult& result, int64_t total_steps) {
  skipped_at_end_ = result.skipped() ? skipped_at_end_ + 1 : 0;
  on_counted_step(result, total_steps);
}

std::unique_ptr<RowProgress> Events::progress([[maybe_unused]] const std::string& activity,
                                              [[maybe_unused]] const std::string& unit) {
  return std::make_unique<RowProgress>();
}

std::unique_ptr<TrainingObserver> Events::training([[maybe_unused]] const FitOptions& length,
                                                   [[maybe_unused]] RowProgress& evaluation) {
  return std::make_unique<TrainingObserver>();
}

DeviceOptions with_warnings(DeviceOptions options, Events& events) {
  options.warn = [&events](const std::string& text) { events.warning(text); };
  return options;
}

}  // namespace portatune::run
