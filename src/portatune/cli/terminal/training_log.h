// The output of fit() during training, and its end by a signal.
#pragma once

#include "portatune/cli/terminal/epoch_table.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/reporting.h"
#include "portatune/run.h"
#include "portatune/train.h"

namespace portatune::cli {

class TrainingLog final : public run::TrainingObserver {
 public:
  /// length      number of epochs and steps
  /// evaluation  shows the progress of the evaluation that ends an epoch; it must outlive this object
  TrainingLog(const Reporting& reporting, const FitOptions& length, run::RowProgress& evaluation);
  TrainingLog(const Terminal& terminal, bool quiet, const FitOptions& length, run::RowProgress& evaluation);

  void on_begin(const FitBegin& begin) override;
  void on_compile(const std::string& what, double seconds, bool from_cache) override;
  void on_ready(int64_t programs, int64_t compiled, double seconds) override;
  void on_input(const InputWait& wait) override { wait_ = wait; }
  void on_skip(const StepResult& result, const std::vector<data::Origin>& rows) override;
  void on_rewind(const StepResult& result, const std::vector<data::Origin>& rows,
                 const std::filesystem::path& checkpoint) override;
  void on_evaluation(int64_t step, double epoch, const Scores& scores) override;
  void on_epoch_end(double epoch, double mean_loss, const Scores& scores) override;
  void on_warning(const std::string& what) override;
  void on_checkpoint(const std::filesystem::path& folder) override;

 private:
  void on_counted_step(const StepResult& result, int64_t total_steps) override;

  void print(const EpochTable::Row& row);

  const bool quiet_;
  const Terminal terminal_;
  const double begun_s_;
  ProgressBar bar_;
  EpochTable table_;
  const int64_t total_steps_, steps_per_epoch_;
  run::RowProgress& evaluation_;
  InputWait wait_;    // sum so far
  int64_t step_ = 0;  // the last one
  int64_t omitted_steps_ = 0;
  int64_t printed_scores_ = -1;  // step of the last scores that are printed within an epoch
  int64_t ended_step_ = -1;      // last step of the last ended epoch
};

}  // namespace portatune::cli
