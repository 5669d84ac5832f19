// The patterns of Split and Replace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/normalized.h"
#include "portatune/text/pattern/word_scanner.h"

namespace portatune::text {

/// A string or regular expression. It is immutable.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// Appends the matches in `text`, in order, without overlap. Some may be empty.
  virtual void find(std::string_view text, std::vector<Span>& matches) const = 0;
  /// The equivalent word rules, if there are any; the matches then cover any text.
  virtual std::optional<WordRules> word_rules() const { return std::nullopt; }
  /// True if the matches in each segment (segments.h) can certainly be replaced by `content` separately, and visible
  /// ASCII characters stay visible ASCII characters.
  virtual bool replaces_by_segment([[maybe_unused]] std::string_view content) const { return false; }
};
using PatternPtr = std::unique_ptr<const Pattern>;

/// A pattern that finds `text`, which must not be empty.
PatternPtr literal_pattern(std::string text);

/// A regular expression in the syntax of Oniguruma, which `tokenizers` uses. The splitting rules of GPT-2, Llama 3 and
/// Qwen 2, and runs of spaces, are recognised and need no engine.
/// errors    UsageError that names the fault
PatternPtr regex_pattern(const std::string& regex);

}  // namespace portatune::text
