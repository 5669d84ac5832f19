// The texts of the windows of a recording, as they come before the text of the next window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "portatune/generate/speech/segments.h"

namespace portatune::generate {

/// Rules for the tokens before the text of a window, with earlier texts among them: condition_on_prev_tokens of
/// generate() of WhisperForConditionalGeneration.
struct HistoryRules {
  int32_t start;                     ///< the token before earlier texts: <|startofprev|>
  std::vector<int32_t> prompt = {};  ///< previous_text(), which begins with `start`; empty: none
  bool repeats_prompt = false;       ///< the prompt comes before all windows, and not as the first of the texts
  int64_t max_tokens;                ///< maximum for earlier texts; older tokens are cut

  /// Maximal number of tokens before a window.
  int64_t size() const;
};

class SpeechHistory {
 public:
  /// rules  must outlive this object
  explicit SpeechHistory(const HistoryRules& rules);
  SpeechHistory(const HistoryRules&&) = delete;

  /// Adds the text of a window.
  /// tokens  without the token that ends the text
  void add(std::span<const int32_t> tokens, const TimeScale& scale);
  /// Notes the temperature of the last window, which may be silent: texts do not come before the next one if the last
  /// one was sampled at 0.5 or more.
  void set_temperature(double temperature);

  /// The tokens before the next window, without those of its prompt.
  std::vector<int32_t> previous() const;

 private:
  const HistoryRules& rules_;
  std::vector<int32_t> texts_;
  bool has_texts_, is_reliable_ = true;
};

}  // namespace portatune::generate
