// Split: splits at the matches of a pattern.
#pragma once

#include "portatune/text/pattern/pattern.h"
#include "portatune/text/pretokenize/behavior.h"
#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

class Split final : public Cutter {
 public:
  Split(PatternPtr pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  const Pattern& pattern() const { return *pattern_; }
  /// True if each match, and each text between two matches, is a word.
  bool isolates() const { return behavior_ == SplitBehavior::kIsolated; }

 protected:
  void cut(std::string_view word, std::vector<Span>& pieces) const override {
    std::vector<Span> matches;
    pattern_->find(word, matches);
    split_at(matches, word.size(), invert_, behavior_, pieces);
  }

 private:
  PatternPtr pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

}  // namespace portatune::text
