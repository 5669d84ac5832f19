// Replace: replaces the matches of a pattern.
#pragma once

#include <string>
#include <vector>

#include "portatune/text/normalize/normalizer.h"
#include "portatune/text/pattern/pattern.h"

namespace portatune::text {

class ReplaceNormalizer final : public Normalizer {
 public:
  ReplaceNormalizer(PatternPtr pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  void normalize(Normalized& text) const override {
    if (text.text().empty()) return;
    std::vector<Span> matches;
    pattern_->find(text.text(), matches);
    text.replace(matches, content_);
  }
  bool works_by_segment() const override { return pattern_->replaces_by_segment(content_); }

 private:
  PatternPtr pattern_;
  std::string content_;
};

}  // namespace portatune::text
