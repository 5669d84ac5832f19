#include "portatune/cli/terminal/training_log.h"

#include <fmt/format.h>

#include <cmath>

#include "portatune/base/text/message.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/train/options.h"
#include "portatune/train/program/progress.h"

namespace portatune::cli {
namespace {

constexpr double kNoWait = 0.01;  // a share of the time below this one is not worth a line

// Text for the wait for input in an epoch.
std::string described(const InputWait& wait) {
  const std::string text = fmt::format("waited {:.0f} % of the time for input", 100 * wait.share());
  return wait.slowest.empty() ? text : fmt::format("{}, most of all for \"{}\"", text, wait.slowest);
}

std::string described(const StepResult& result, const std::vector<data::Origin>& rows) {
  return fmt::format("loss {} and gradient norm {} of the rows {}", to_text(result.loss()), to_text(result.grad_norm()),
                     to_string(rows));
}

}  // namespace

TrainingLog::TrainingLog(const Reporting& reporting, const FitOptions& length, run::RowProgress& evaluation)
    : TrainingLog(stderr_terminal(reporting.disable_progress), reporting.quiet, length, evaluation) {}

TrainingLog::TrainingLog(const Terminal& terminal, bool quiet, const FitOptions& length, run::RowProgress& evaluation)
    : quiet_(quiet),
      terminal_(terminal),
      begun_s_(terminal_.now_s()),
      bar_(terminal_, length.steps_per_epoch),
      table_(length.num_train_epochs),
      total_steps_(train::total_steps(length)),
      steps_per_epoch_(length.steps_per_epoch),
      evaluation_(evaluation) {}

void TrainingLog::on_begin(const FitBegin& begin) {
  step_ = begin.steps;
  omitted_steps_ = begin.omitted_steps;
}

void TrainingLog::on_compile(const std::string& what, double seconds, bool from_cache) {
  // A program from the cache is not reported.
  if (!quiet_ && !from_cache) bar_.print(fmt::format("compiled {} in {:.1f} s", what, seconds));
}

void TrainingLog::on_ready(int64_t programs, int64_t compiled, double seconds) {
  evaluation_.finish();  // its first batch was read for its shape
  if (quiet_) return;
  bar_.print(fmt::format("{}, one for each shape of batches; compiled {} in {:.1f} s", counted(programs, "program"),
                         compiled, seconds));
}

void TrainingLog::on_counted_step(const StepResult& result, int64_t total_steps) {
  step_ = result.step();
  if (quiet_) return;
  bar_.update({.step = result.step(),
               .total = total_steps,
               .omitted = omitted_steps_,
               .loss = result.loss(),
               .learning_rate = result.learning_rate(),
               .tokens = result.tokens(),
               .waited = wait_.share()});
}

// The bar wraps lines on a terminal a little earlier than at its last column.
void TrainingLog::print(const EpochTable::Row& row) {
  const int columns = terminal_.columns() - (terminal_.rewrites ? 2 : 0);
  for (const std::string& line : table_.lines(row, columns)) bar_.print(line);
}

void TrainingLog::on_skip(const StepResult& result, const std::vector<data::Origin>& rows) {
  if (quiet_) return;
  const std::string step = fmt::format("step {} is skipped", result.step());
  if (train::can_scale_down(result)) {
    bar_.print(fmt::format("{}: its gradient overflows where the loss is scaled by {}", step, result.loss_scale()));
  } else {
    bar_.print(fmt::format("{}: {}", step, described(result, rows)));
  }
}

void TrainingLog::on_rewind(const StepResult& result, const std::vector<data::Origin>& rows,
                            const std::filesystem::path& checkpoint) {
  if (quiet_) return;
  bar_.print(fmt::format("step {} rewinds to {} and continues with the next batch: {}", result.step(),
                         checkpoint.empty() ? "the start" : checkpoint.string(), described(result, rows)));
}

void TrainingLog::on_evaluation(int64_t step, double epoch, const Scores& scores) {
  evaluation_.finish();
  step_ = step;
  // on_epoch_end() prints the scores, unless a callback has asked for them there.
  const bool ends_epoch = (epoch == std::floor(epoch) || step == total_steps_) && step != ended_step_;
  if (quiet_ || ends_epoch) return;
  print({.epoch = epoch, .step = step, .seconds = terminal_.now_s() - begun_s_, .scores = scores});
  printed_scores_ = step;
}

void TrainingLog::on_epoch_end(double epoch, double mean_loss, const Scores& scores) {
  omitted_steps_ = std::lround(std::ceil(epoch)) * steps_per_epoch_ - step_;
  ended_step_ = step_;
  if (quiet_) return;
  print({.epoch = epoch,
         .step = step_,
         .seconds = terminal_.now_s() - begun_s_,
         .train_loss = mean_loss,
         .scores = printed_scores_ == step_ ? Scores{} : scores});
  if (wait_.share() >= kNoWait) bar_.print(described(wait_));
}

void TrainingLog::on_checkpoint(const std::filesystem::path& folder) {
  if (!quiet_) bar_.print(fmt::format("saved {}", folder.string()));
}

void TrainingLog::on_warning(const std::string& what) {
  if (!quiet_) bar_.print("warning: " + what);
}

}  // namespace portatune::cli
