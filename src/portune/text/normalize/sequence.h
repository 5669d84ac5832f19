// Normalizers one after the other.
#pragma once

#include <vector>

#include "portune/text/normalize/normalizer.h"

namespace portune::text {

class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<NormalizerPtr> stages) : stages_(std::move(stages)) {}

  void normalize(Normalized& text) const override {
    for (const NormalizerPtr& stage : stages_) stage->normalize(text);
  }

 private:
  std::vector<NormalizerPtr> stages_;
};

}  // namespace portune::text
