#include "portatune/train/loop/fit_errors.h"

#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/train/finite.h"

namespace portatune::train {

NumericError not_finite(const StepResult& result, const data::Example& batch, const std::string& first,
                        const SavedBefore& saved, int64_t rewinds) {
  const bool is_of_model = result.step() == 1 && first.starts_with("the weight ");
  std::string fix = is_of_model ? kAdviceOnModel : std::string("look at these rows, or ") + kAdviceOnTraining;
  if (!saved.path.empty()) {
    fix += "; to skip the batch, resume from " + saved.path.string() + " with on_non_finite skip";
  }
  if (!saved.fault.empty()) fix += "; the state before this step could not be saved: " + saved.fault;
  const std::string where = "step " + std::to_string(result.step());
  return NumericError({.where = rewinds == 0 ? where : where + ", after " + std::to_string(rewinds) + " rewinds",
                       .given = "loss " + to_text(result.loss()) + " and gradient norm " + to_text(result.grad_norm()) +
                                " of " + rows_of(batch) + (first.empty() ? "" : "; first non-finite value: " + first),
                       .expected = "finite numbers",
                       .fix = fix});
}

NumericError too_many_skips(const TooManySkips& skips, bool finite, const SavedBefore& saved) {
  std::string fix = finite ? std::string("look at the rows of the skipped steps, or ") + kAdviceOnTraining +
                                 (skips.in_a_row ? "; max_skipped_in_a_row" : "; max_skipped_steps") +
                                 " allows more skipped steps"
                           : kAdviceOnTraining;
  if (!saved.path.empty()) fix += "; the completed steps are in " + saved.path.string();
  if (!saved.fault.empty()) fix += "; the completed steps could not be saved: " + saved.fault;
  return NumericError({.where = "step " + std::to_string(skips.step),
                       .given = (finite ? "" : "a weight that is not finite, and ") + skips.given,
                       .expected = "a finite loss and gradient in almost all steps",
                       .fix = std::move(fix)});
}

NumericError unsound_weights(int64_t steps, int64_t skipped, const data::Example& batch, const std::string& first) {
  return NumericError({.where = "step " + std::to_string(steps),
                       .given = std::to_string(steps) + " steps, the last " + std::to_string(skipped) +
                                " skipped: no step after step " + std::to_string(steps - skipped) +
                                " updated the weights, whose loss for " + rows_of(batch) +
                                ", finite before, is not finite; first non-finite value: " + first,
                       .expected = "a model with a finite loss; none is saved",
                       .fix = kAdviceOnTraining});
}

}  // namespace portatune::train
