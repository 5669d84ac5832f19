// Scores and predictions of models whose frames have codevectors.
#pragma once

#include <string_view>
#include <vector>

#include "portatune/media_models.h"
#include "portatune/tasks.h"

namespace portatune::tasks {

/// Outputs of the forward pass: int32 [batch, frames, groups], the codevectors of the frames; and sums over the masked
/// frames of each row, float32 [batch].
inline constexpr std::string_view kCodes = "codes";
inline constexpr std::string_view kContrastiveLoss = "contrastive_loss";
inline constexpr std::string_view kHits = "hits";

/// Over the masked frames of all rows: "contrastive_loss" is their mean, "accuracy" the share of frames that are
/// distinguished from all others, "codevector_perplexity" that of the chosen codevectors, summed over the groups.
class CodevectorMetrics final : public Metrics {
 public:
  explicit CodevectorMetrics(const models::ContrastiveFacts& facts);

  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  const size_t groups_, codevectors_;
  std::vector<double> counts_;  // [groups, codevectors]
  double masked_ = 0, loss_ = 0, hits_ = 0;
};

/// Lines {"audio": name of the file, "codes": [[codevector of each group], ...] of the frames}.
class CodevectorLines final : public PredictionLines {
 public:
  std::string take(const data::Example& batch, const data::Example& outputs) override;
};

}  // namespace portatune::tasks
