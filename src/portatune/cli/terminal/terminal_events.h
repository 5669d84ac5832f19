// The reports of a run on stderr.
#pragma once

#include "portatune/cli/options/commands.h"
#include "portatune/run.h"

namespace portatune::cli {

/// The remarks, warnings and progress of a command.
class TerminalEvents : public run::Events {
 public:
  explicit TerminalEvents(const Reporting& reporting) : reporting_(reporting) {}

  void notice(const std::string& text) override;
  void warning(const std::string& text) override;
  void alert(const std::string& text) override;
  std::unique_ptr<run::RowProgress> progress(const std::string& activity) override;

 protected:
  const Reporting reporting_;
};

/// What a command trains. Of several runs the output folder is resumed, of one run a checkpoint.
enum class Trains { kOneRun, kSeveralRuns };

/// The reports of a training run. A signal requests its end.
class TrainingEvents : public TerminalEvents {
 public:
  /// arguments  must outlive this object
  explicit TrainingEvents(const FitArguments& arguments, Trains trains = Trains::kOneRun)
      : TerminalEvents(arguments.reporting), arguments_(arguments), trains_(trains) {}

  void opening(const run::Opening& opening) override;
  void scores_before(const Scores& scores) override;
  void lock_file(const std::filesystem::path& path) override;
  void stopped(int64_t step, const std::filesystem::path& checkpoint) override;
  /// Shows the command that resumes the run, also if quiet: without it the work would be lost.
  void resumable(const std::filesystem::path& checkpoint, const std::string& reason) override;
  void rescued(const std::filesystem::path& model, const std::filesystem::path& output) override;
  void unmeasured(const std::string& validation_set) override;
  std::unique_ptr<run::TrainingObserver> training(const FitOptions& length, run::RowProgress& evaluation) override;

 private:
  const FitArguments& arguments_;
  const Trains trains_;
};

}  // namespace portatune::cli
