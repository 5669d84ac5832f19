// A stage of a tokenizer's file, whose output has a limit: files of strangers may multiply a text without end.
#pragma once

#include <string>
#include <utility>

#include "portatune/error.h"
#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

class BoundedNormalizer final : public Normalizer {
 public:
  /// place  of the stage: "tokenizer.json, normalizer.normalizers.2"
  BoundedNormalizer(std::string place, NormalizerPtr stage) : place_(std::move(place)), stage_(std::move(stage)) {}

  /// errors  CheckpointError naming the stage, by Normalized::require_room()
  void normalize(Normalized& text) const override {
    try {
      stage_->normalize(text);
      text.require_room(text.text().size());
    } catch (CheckpointError& error) {
      error.set_where(place_);
      throw;
    }
  }
  bool keeps(std::string_view text) const override { return stage_->keeps(text); }
  bool works_by_segment() const override { return stage_->works_by_segment(); }

 private:
  std::string place_;
  NormalizerPtr stage_;
};

}  // namespace portatune::text
