// A sequence of pre-tokenizers.
#pragma once

#include <algorithm>

#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

class PreTokenizerSequence final : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<PreTokenizerPtr> stages) : stages_(std::move(stages)) {}

  void split(Words& words) const override {
    for (const PreTokenizerPtr& stage : stages_) stage->split(words);
  }
  bool needs_origins() const override {
    return std::any_of(stages_.begin(), stages_.end(), [](const auto& stage) { return stage->needs_origins(); });
  }
  // The stages after the first work on one word at a time.
  bool works_by_segment() const override { return !stages_.empty() && stages_.front()->works_by_segment(); }
  const std::vector<PreTokenizerPtr>& stages() const { return stages_; }

 private:
  std::vector<PreTokenizerPtr> stages_;
};

}  // namespace portatune::text
