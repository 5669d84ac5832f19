#include "portatune/train/loop/input_meter.h"

#include <algorithm>

namespace portatune::train {
namespace {

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::optional<data::Example> InputMeter::next(data::Cursor& batches) {
  const Clock::time_point asked = Clock::now();
  std::optional<data::Example> batch = batches.next();
  const Clock::time_point arrived = Clock::now();
  const Clock::rep ended = step_end_ ? step_end_->load() : 0;
  if (ended == 0) return batch;
  // The device does not wait for a batch that the loop has not asked for.
  const Clock::time_point idle_since = std::max(asked, Clock::time_point(Clock::duration(ended)));
  waited_ += std::max(arrived - idle_since, Clock::duration::zero());
  return batch;
}

void InputMeter::started(const StepResult& step) {
  step_end_ = std::make_shared<std::atomic<Clock::rep>>(0);
  step.on_ready([end = step_end_] { end->store(Clock::now().time_since_epoch().count()); });
}

void InputMeter::restart() {
  begin_ = Clock::now();
  waited_ = {};
}

InputWait InputMeter::wait() const {
  return {.waited_s = seconds(waited_), .elapsed_s = seconds_since(begin_), .slowest = stages_.slowest()};
}

}  // namespace portatune::train
