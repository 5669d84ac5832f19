// Normalizers that change the ends of a text.
#pragma once

#include <string>

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// Prepend: inserts a prefix before a text that is not empty.
class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}
  void normalize(Normalized& text) const override { text.prepend(prefix_); }

 private:
  std::string prefix_;
};

/// Strip: removes whitespace.
class Strip final : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}
  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return !left_; }

 private:
  bool left_, right_;
};

}  // namespace portatune::text
