#include "portatune/train/loop/skip_limit.h"

#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/train/program/progress.h"

namespace portatune::train {
namespace {

// Maximal number of skipped steps in a run of `steps` steps.
int64_t max_skipped(const TrainingOptions& options, int64_t steps) {
  constexpr int64_t kMinimum = 10, kShare = 10;
  return options.max_skipped_steps > 0 ? options.max_skipped_steps : std::max(kMinimum, steps / kShare);
}

}  // namespace

std::string rows_of(const data::Example& batch) {
  const std::vector<data::Origin>& rows = batch.row_origins();
  return rows.empty() ? "the batch that begins at " + to_string(batch.origin()) : "the rows " + to_string(rows);
}

void SkipLimit::count(const StepResult& result, const data::Example& batch) {
  if (options_.on_non_finite != OnNonFinite::kSkip || can_scale_down(result)) return;
  if (exceeded_) return;  // a step that was under way when the limit was reached
  skips_.in_a_row = result.skipped() ? skips_.in_a_row + 1 : 0;
  if (!result.skipped()) return;
  ++skips_.all;
  const bool in_a_row = skips_.in_a_row >= options_.max_skipped_in_a_row;
  if (!in_a_row && skips_.all <= max_skipped(options_, steps_)) return;
  const std::string count = in_a_row
                                ? std::to_string(skips_.in_a_row) + " skipped steps in a row"
                                : std::to_string(skips_.all) + " skipped steps of " + std::to_string(result.step());
  exceeded_ = {.step = result.step(),
               .given = count + "; the last one had loss " + to_text(result.loss()) + " and gradient norm " +
                        to_text(result.grad_norm()) + " of " + rows_of(batch),
               .in_a_row = in_a_row};
}

}  // namespace portatune::train
