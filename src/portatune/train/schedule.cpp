#include "portatune/train/schedule.h"

#include <algorithm>

#include "portatune/base/random.h"
#include "portatune/error.h"

namespace portatune::train {

bool depends_on_total_steps(const TrainingOptions& options) { return options.lr_scheduler_type == "linear"; }

double learning_rate(const TrainingOptions& options, int64_t step, int64_t total_steps) {
  const bool linear = depends_on_total_steps(options);
  if (!linear && options.lr_scheduler_type != "constant") {
    throw UsageError({.where = "lr_scheduler_type",
                      .given = "\"" + options.lr_scheduler_type + "\"",
                      .expected = "linear or constant"});
  }
  const double done = static_cast<double>(step - 1);  // steps before this one, as transformers counts
  const double warmup = static_cast<double>(options.warmup_steps), total = static_cast<double>(total_steps);
  if (done < warmup) return options.learning_rate * done / warmup;
  if (!linear) return options.learning_rate;
  return options.learning_rate * std::max(0.0, (total - done) / std::max(1.0, total - warmup));
}

Tensor random_key(uint64_t seed, int64_t step) {
  const uint64_t key = split_mix_64(seed, static_cast<uint64_t>(step - 1));
  return Tensor({2}, {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

}  // namespace portatune::train
