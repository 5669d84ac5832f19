// Regular expressions, by PCRE2.
#pragma once

#include <memory>
#include <string>

#include "portatune/text/pattern/pattern.h"

namespace portatune::text {

/// Immutable, and safe to use by several threads.
class Regex final : public Pattern {
 public:
  /// errors    UsageError for what is no regular expression, or one that PCRE2 would take for something else
  explicit Regex(const std::string& regex);
  ~Regex() override;

  /// errors    DataError if the expression takes too long on this text
  void find(std::string_view text, std::vector<Span>& matches) const override;

 private:
  struct Code;
  std::string regex_;
  std::unique_ptr<const Code> code_;
};

}  // namespace portatune::text
