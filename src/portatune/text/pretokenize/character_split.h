// Pre-tokenizers that work on one character at a time.
#pragma once

#include "portatune/text/pretokenize/behavior.h"
#include "portatune/text/pretokenize/pre_tokenizer.h"
#include "portatune/text/unicode/unicode.h"

namespace portatune::text {

/// Splits at code points with one of `properties`: WhitespaceSplit (kSpace, removed), Digits (kNumeric, isolated or
/// contiguous), Punctuation (kPunctuation, with its behavior).
class PropertySplit final : public Cutter {
 public:
  PropertySplit(Property property, SplitBehavior behavior) : property_(property), behavior_(behavior) {}
  bool works_by_segment() const override {
    return (property_ & kSpace) != 0 && (behavior_ == SplitBehavior::kRemoved || behavior_ == SplitBehavior::kIsolated);
  }

 protected:
  void cut(std::string_view word, std::vector<Span>& pieces) const override;

 private:
  Property property_;
  SplitBehavior behavior_;
};

/// Whitespace: words are runs of word characters, and runs of other characters except whitespace.
class Whitespace final : public Cutter {
 public:
  bool works_by_segment() const override { return true; }

 protected:
  void cut(std::string_view word, std::vector<Span>& pieces) const override;
};

/// FixedLength: words have a fixed number of code points.
class FixedLength final : public Cutter {
 public:
  explicit FixedLength(int64_t length) : length_(length) {}

 protected:
  void cut(std::string_view word, std::vector<Span>& pieces) const override;

 private:
  int64_t length_;
};

}  // namespace portatune::text
