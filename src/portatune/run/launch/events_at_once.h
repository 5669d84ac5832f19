// The events of runs that train at the same time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "portatune/run.h"

namespace portatune::run {

/// Passes the events of several threads on, one at a time. A warning about the device or the rows of several runs is
/// passed on once.
class EventsAtOnce final : public Events {
 public:
  /// events  must outlive this object
  explicit EventsAtOnce(Events& events) : events_(events) {}

  /// A run that trains beside others has done a step.
  void add_step() {
    const std::lock_guard lock(mutex_);
    if (!steps_) steps_ = events_.progress("training", "steps");
    steps_->add(1);
  }
  /// No run trains beside others from now on.
  void end_steps() {
    const std::lock_guard lock(mutex_);
    steps_.reset();
  }

  void notice(const std::string& text) override {
    pass([&] { events_.notice(text); });
  }
  void warning(const std::string& text) override { warning_of_run("", text); }
  /// name  of a run that trains beside others; empty: the warning is about all runs
  void warning_of_run(const std::string& name, const std::string& text) {
    pass([&] {
      if (warnings_.insert(text).second) events_.warning(name.empty() ? text : name + ": " + text);
    });
  }
  /// The warning of a run that trains alone. The next run may have the same, for its own reasons.
  void warning_of_run_alone(const std::string& text) {
    pass([&] { events_.warning(text); });
  }
  void alert(const std::string& text) override {
    pass([&] { events_.alert(text); });
  }
  void lock_file(const std::filesystem::path& path) override {
    pass([&] { events_.lock_file(path); });
  }
  void run_begins(const OneOfRuns& run) override {
    pass([&] { events_.run_begins(run); });
  }
  void opening(const Opening& opening) override {
    pass([&] { events_.opening(opening); });
  }
  void scores_before(const Scores& scores) override {
    pass([&] { events_.scores_before(scores); });
  }
  void scores_beside_others(const std::string& name, int64_t step, const Scores& scores) override {
    pass([&] { events_.scores_beside_others(name, step, scores); });
  }
  /// Keeps the report of the first run that has stopped, for report_stop().
  void stopped(int64_t step, const std::filesystem::path& checkpoint) override {
    const std::lock_guard lock(mutex_);
    if (!stop_) stop_.emplace(step, checkpoint);
  }
  /// Reports that the runs were stopped on request.
  void report_stop() {
    pass([&] {
      if (stop_) {
        events_.stopped(stop_->first, stop_->second);
      } else {
        events_.resumable({}, "stopped before the first step of a run");
      }
    });
  }
  void resumable(const std::filesystem::path& checkpoint, const std::string& reason) override {
    pass([&] { events_.resumable(checkpoint, reason); });
  }
  void rescued(const std::filesystem::path& model, const std::filesystem::path& output) override {
    pass([&] { events_.rescued(model, output); });
  }
  void unmeasured(const std::string& validation_set) override {
    pass([&] { events_.unmeasured(validation_set); });
  }
  std::unique_ptr<RowProgress> progress(const std::string& activity, const std::string& unit) override {
    const std::lock_guard lock(mutex_);
    return steps_ ? Events::progress(activity, unit) : events_.progress(activity, unit);  // a terminal has one bar
  }
  std::unique_ptr<TrainingObserver> training(const FitOptions& length, RowProgress& evaluation) override {
    const std::lock_guard lock(mutex_);
    return events_.training(length, evaluation);
  }

 private:
  template <class Pass>
  void pass(const Pass& event) {
    const std::lock_guard lock(mutex_);
    if (steps_) steps_->hide();
    event();
  }

  Events& events_;
  std::mutex mutex_;  // guards the observer and the members below
  std::unique_ptr<RowProgress> steps_;
  std::set<std::string> warnings_;
  std::optional<std::pair<int64_t, std::filesystem::path>> stop_;  // step and checkpoint
};

}  // namespace portatune::run
