// The events of one trial, as the observer of its sweep gets them.
#pragma once

#include "portatune/run.h"
#include "portatune/run/sweep/trial_score.h"

namespace portatune::run {

/// Passes events on, without those that concern the sweep as a whole. All trials begin alike, so only the first one
/// reports its opening; a trial that ends after a part of its training is not stopped on request.
class TrialEvents final : public Events {
 public:
  /// events  must outlive this object
  TrialEvents(Events& events, bool is_first) : events_(events), is_first_(is_first) {}

  void notice(const std::string& text) override { events_.notice(text); }
  void warning(const std::string& text) override { events_.warning(text); }
  void alert(const std::string& text) override { events_.alert(text); }
  void opening(const Opening& opening) override {
    if (is_first_) events_.opening(opening);
  }
  void scores_before(const Scores& scores) override { events_.scores_before(scores); }
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
  std::unique_ptr<RowProgress> progress(const std::string& activity) override { return events_.progress(activity); }
  std::unique_ptr<TrainingObserver> training(const FitOptions& length, RowProgress& evaluation) override {
    return events_.training(length, evaluation);
  }

  /// Reports that the sweep was stopped on request during this trial.
  void report_stop() { events_.stopped(step_, checkpoint_); }

 private:
  Events& events_;
  const bool is_first_;
  int64_t step_ = 0;
  std::filesystem::path checkpoint_;
};

/// Stops a trial after its first evaluation from a part of its run on.
class StopAfterPart final : public Callback {
 public:
  /// options  those of the trial, which must outlive this object
  StopAfterPart(const RunOptions& options, double part) : options_(options), part_(part) {}

  void on_evaluation(int64_t step, double epoch, const Scores&) override {
    is_reached_ |= reaches(part_of_run(options_, step, epoch), part_);
  }
  bool should_stop() override { return is_reached_; }
  bool is_reached() const { return is_reached_; }

 private:
  const RunOptions& options_;
  const double part_;
  bool is_reached_ = false;
};

}  // namespace portatune::run
