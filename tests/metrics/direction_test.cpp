#include "portatune/metrics/direction.h"

#include <gtest/gtest.h>

namespace portatune::metrics {
namespace {

TEST(IsLowerBetter, IsTrueOfLossesAndErrors) {
  for (const char* score : {"loss", "eval_loss", "my_loss", "dev_mse", "rmse", "mae", "perplexity", "max_error",
                            "error_rate", "wer", "eval_cer", "ece", "brier_score"}) {
    EXPECT_TRUE(is_lower_better(score)) << score;
  }
}

TEST(IsLowerBetter, IsFalseOfOtherScores) {
  for (const char* score : {"accuracy", "eval_f1", "roc_auc", "r2", "answer", "power", "piece", "error_free", "score",
                            "codevector_perplexity"}) {
    EXPECT_FALSE(is_lower_better(score)) << score;
  }
}

}  // namespace
}  // namespace portatune::metrics
