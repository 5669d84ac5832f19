// Regular expressions by PCRE2.
#pragma once

#include <memory>
#include <string>

#include "portatune/text/pattern/pattern.h"

namespace portatune::text {

/// A compiled regular expression. It is immutable, so threads may share it.
class Regex final : public Pattern {
 public:
  /// Compiles a regular expression.
  /// errors    UsageError if it is invalid, or if PCRE2 would give it another meaning
  explicit Regex(const std::string& regex);
  ~Regex() override;

  /// Appends the matches in `text`.
  /// errors    DataError if the expression takes too long on this text
  void find(std::string_view text, std::vector<Span>& matches) const override;

 private:
  struct Code;
  std::string regex_;
  std::unique_ptr<const Code> code_;
};

}  // namespace portatune::text
