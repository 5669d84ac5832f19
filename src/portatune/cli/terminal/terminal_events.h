// The reports of a run on stderr.
#pragma once

#include "portatune/cli/terminal/reporting.h"
#include "portatune/run.h"

namespace portatune::cli {

/// The remarks, warnings and progress of a command.
class TerminalEvents : public run::Events {
 public:
  explicit TerminalEvents(const Reporting& reporting) : reporting_(reporting) {}

  void notice(const std::string& text) override;
  void warning(const std::string& text) override;
  void alert(const std::string& text) override;
  std::unique_ptr<run::RowProgress> progress(const std::string& activity, const std::string& unit) override;

 protected:
  const Reporting reporting_;
};

/// The reports of a training run, apart from those of a requested stop: a subclass reports the stop and how to resume.
class TrainingEvents : public TerminalEvents {
 public:
  using TerminalEvents::TerminalEvents;

  void opening(const run::Opening& opening) override;
  void scores_before(const Scores& scores) override;
  void scores_beside_others(const std::string& name, int64_t step, const Scores& scores) override;
  void rescued(const std::filesystem::path& model, const std::filesystem::path& output) override;
  std::unique_ptr<run::TrainingObserver> training(const FitOptions& length, run::RowProgress& evaluation) override;
};

}  // namespace portatune::cli
