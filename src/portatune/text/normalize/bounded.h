// A normalizer with a limit on its output, because a file from an untrusted source may make a text grow without end.
#pragma once

#include <string>
#include <utility>

#include "portatune/error.h"
#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

class BoundedNormalizer final : public Normalizer {
 public:
  /// Wraps a normalizer.
  /// stage_name  "tokenizer.json, normalizer.normalizers.2"
  BoundedNormalizer(std::string stage_name, NormalizerPtr stage)
      : stage_name_(std::move(stage_name)), stage_(std::move(stage)) {}

  /// Normalizes the text.
  /// errors  CheckpointError that names the stage, by Normalized::require_room()
  void normalize(Normalized& text) const override {
    try {
      stage_->normalize(text);
      text.require_room(text.text().size());
    } catch (CheckpointError& error) {
      error.set_where(stage_name_);
      throw;
    }
  }
  bool keeps(std::string_view text) const override { return stage_->keeps(text); }
  bool works_by_segment() const override { return stage_->works_by_segment(); }

 private:
  std::string stage_name_;
  NormalizerPtr stage_;
};

}  // namespace portatune::text
