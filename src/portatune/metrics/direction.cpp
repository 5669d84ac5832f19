#include "portatune/metrics/direction.h"

#include <algorithm>
#include <array>

namespace portatune::metrics {
namespace {

// Also at the end of a longer word: "rmse".
constexpr std::array<std::string_view, 5> kEnds = {"loss", "mse", "mae", "perplexity", "error"};
// Only as whole words, because "answer" is no word error rate.
constexpr std::array<std::string_view, 5> kWords = {"ece", "wer", "cer", "brier_score", "error_rate"};

bool ends_in_word(std::string_view score, std::string_view word) {
  if (!score.ends_with(word)) return false;
  return score.size() == word.size() || score[score.size() - word.size() - 1] == '_';
}

}  // namespace

bool is_lower_better(std::string_view score) {
  if (score.ends_with("codevector_perplexity")) return false;  // the number of codevectors in use
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return score.ends_with(end); }) ||
         std::ranges::any_of(kWords, [&](std::string_view word) { return ends_in_word(score, word); });
}

}  // namespace portatune::metrics
