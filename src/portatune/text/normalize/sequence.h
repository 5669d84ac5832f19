// A sequence of normalizers.
#pragma once

#include <algorithm>
#include <vector>

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<NormalizerPtr> stages) : stages_(std::move(stages)) {}

  void normalize(Normalized& text) const override {
    for (const NormalizerPtr& stage : stages_) stage->normalize(text);
  }
  bool keeps(std::string_view text) const override {
    return std::all_of(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage->keeps(text); });
  }
  bool works_by_segment() const override {
    return std::all_of(stages_.begin(), stages_.end(), [](const auto& stage) { return stage->works_by_segment(); });
  }

 private:
  std::vector<NormalizerPtr> stages_;
};

}  // namespace portatune::text
