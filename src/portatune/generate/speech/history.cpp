#include "portatune/generate/speech/history.h"

#include <algorithm>

namespace portatune::generate {
namespace {

constexpr double kUnreliableFrom = 0.5;  // temperature

void keep_last(std::vector<int32_t>& tokens, int64_t count) {
  tokens.erase(tokens.begin(), tokens.end() - std::min<int64_t>(count, std::ssize(tokens)));
}

}  // namespace

int64_t HistoryRules::size() const {
  const int64_t of_prompt = std::ssize(prompt);
  return repeats_prompt ? of_prompt + max_tokens : std::max(of_prompt, 1 + max_tokens);
}

SpeechHistory::SpeechHistory(const HistoryRules& rules)
    : rules_(rules), has_texts_(!rules.prompt.empty() && !rules.repeats_prompt) {
  if (!has_texts_) return;
  texts_.assign(rules.prompt.begin() + 1, rules.prompt.end());
  keep_last(texts_, rules.max_tokens);
}

void SpeechHistory::add(std::span<const int32_t> tokens, const TimeScale& scale) {
  has_texts_ = true;
  const std::vector<int32_t> heard = tokens_of_segments(tokens, scale);
  texts_.insert(texts_.end(), heard.begin(), heard.end());
  keep_last(texts_, rules_.max_tokens);
}

void SpeechHistory::set_temperature(double temperature) { is_reliable_ = temperature < kUnreliableFrom; }

std::vector<int32_t> SpeechHistory::previous() const {
  if (!has_texts_ || !is_reliable_) return rules_.prompt;
  std::vector<int32_t> tokens = rules_.repeats_prompt ? rules_.prompt : std::vector{rules_.start};
  tokens.insert(tokens.end(), texts_.begin(), texts_.end());
  return tokens;
}

}  // namespace portatune::generate
