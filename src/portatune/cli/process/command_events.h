// The reports of a training run of the command, which a signal may end.
#pragma once

#include "portatune/cli/options/arguments.h"
#include "portatune/cli/terminal/terminal_events.h"

namespace portatune::cli {

/// What a command trains. Of several runs the output folder is resumed, of one run a checkpoint.
enum class Trains { kOneRun, kSeveralRuns };

/// The reports of a training run with advice for the shell. A signal requests its end.
class CommandEvents final : public TrainingEvents {
 public:
  /// arguments  must outlive this object
  explicit CommandEvents(const FitArguments& arguments, Trains trains = Trains::kOneRun)
      : TrainingEvents(arguments.reporting), arguments_(arguments), trains_(trains) {}

  void lock_file(const std::filesystem::path& path) override;
  void stopped(int64_t step, const std::filesystem::path& checkpoint) override;
  /// Shows the command that resumes the run, also if quiet: without it the work would be lost.
  void resumable(const std::filesystem::path& checkpoint, const std::string& reason) override;
  void unmeasured(const std::string& validation_set) override;

 private:
  const FitArguments& arguments_;
  const Trains trains_;
};

}  // namespace portatune::cli
