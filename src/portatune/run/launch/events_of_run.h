// The events of one of several runs, as the observer of all of them gets them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "portatune/run/launch/events_at_once.h"
#include "portatune/run/launch/runs_at_once.h"

namespace portatune::run {

/// Reports the steps and scores of a run that trains beside others.
class StepsOfRun final : public TrainingObserver {
 public:
  /// events       must outlive this object
  /// has_stepped  called after the first step
  StepsOfRun(EventsAtOnce& events, std::string name, std::function<void()> has_stepped)
      : events_(events), name_(std::move(name)), has_stepped_(std::move(has_stepped)) {}

  void on_evaluation(int64_t step, double, const Scores& scores) override {
    events_.scores_beside_others(name_, step, scores);
  }
  void on_skip(const StepResult& result, const std::vector<data::Origin>&) override {
    events_.warning_of_run(name_, fmt::format("step {} is skipped: its loss or gradient is not finite", result.step()));
  }
  void on_rewind(const StepResult& result, const std::vector<data::Origin>&,
                 const std::filesystem::path& checkpoint) override {
    events_.warning_of_run(name_, fmt::format("step {} is not finite; back to {}", result.step(),
                                              checkpoint.empty() ? "the start" : checkpoint.string()));
  }
  void on_warning(const std::string& what) override { events_.warning_of_run(name_, what); }

 private:
  void on_counted_step(const StepResult&, int64_t) override {
    if (has_stepped_) std::exchange(has_stepped_, nullptr)();
    events_.add_step();
  }

  EventsAtOnce& events_;
  const std::string name_;
  std::function<void()> has_stepped_;
};

/// Passes events on. The lines of a run that trains beside others begin with its name, and it has no progress bar of
/// its own.
class EventsOfRun final : public Events {
 public:
  /// events         must outlive this object
  /// name           such as "fold 2"
  /// reports_start  whether the run reports its opening, which is that of the others, too
  EventsOfRun(EventsAtOnce& events, const RunsAtOnce::Context& context, const std::string& name, bool reports_start)
      : events_(events),
        name_(context.is_alone ? "" : name),
        reports_start_(reports_start),
        has_stepped_(context.has_stepped) {
    if (context.is_alone) events_.end_steps();
  }

  void notice(const std::string& text) override { events_.notice(with_name(text)); }
  void warning(const std::string& text) override {
    if (name_.empty()) return events_.warning_of_run_alone(text);
    events_.warning_of_run(name_, text);
  }
  void alert(const std::string& text) override { events_.alert(with_name(text)); }
  void opening(const Opening& opening) override {
    if (reports_start_) events_.opening(opening);
  }
  void scores_before(const Scores& scores) override {
    if (name_.empty()) return events_.scores_before(scores);
    events_.scores_beside_others(name_, 0, scores);
  }
  void stopped(int64_t step, const std::filesystem::path& checkpoint) override {
    step_ = step;
    checkpoint_ = checkpoint;
  }
  void resumable(const std::filesystem::path& checkpoint, const std::string& reason) override {
    events_.resumable(checkpoint, reason);
  }
  void rescued(const std::filesystem::path& model, const std::filesystem::path& output) override {
    events_.rescued(model, output);
  }
  void unmeasured(const std::string& validation_set) override { events_.unmeasured(validation_set); }
  std::unique_ptr<RowProgress> progress(const std::string& activity, const std::string& unit) override {
    return name_.empty() ? events_.progress(activity, unit) : Events::progress(activity, unit);
  }
  std::unique_ptr<TrainingObserver> training(const FitOptions& length, RowProgress& evaluation) override {
    if (name_.empty()) return events_.training(length, evaluation);
    return std::make_unique<StepsOfRun>(events_, name_, has_stepped_);
  }

  /// Reports that the run was stopped on request, which it may also be to continue later.
  void report_stop() { events_.stopped(step_, checkpoint_); }

 private:
  std::string with_name(const std::string& text) const { return name_.empty() ? text : name_ + ": " + text; }

  EventsAtOnce& events_;
  const std::string name_;  // empty: the run trains alone
  const bool reports_start_;
  const std::function<void()> has_stepped_;
  int64_t step_ = 0;
  std::filesystem::path checkpoint_;
};

}  // namespace portatune::run
