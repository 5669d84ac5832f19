// The direction in which a score improves.
#pragma once

#include <string_view>

namespace portatune::metrics {

/// Returns whether a lower value of a score is better, by the end of its name: "eval_dev_loss", "rmse", "wer".
bool is_lower_better(std::string_view score);

}  // namespace portatune::metrics
