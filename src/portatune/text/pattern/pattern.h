// What Split and Replace look for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/normalized.h"
#include "portatune/text/pattern/word_scanner.h"

namespace portatune::text {

/// A string or regular expression. Immutable.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// Appends the matches in `text`, in order, without overlap; some may be empty.
  virtual void find(std::string_view text, std::vector<Span>& matches) const = 0;
  /// The rules that it stands for, if these are known; its matches then cover any text.
  virtual std::optional<WordRules> word_rules() const { return std::nullopt; }
  /// Whether it is certain that its matches can be replaced by `content` in each segment (segments.h) by itself, and
  /// that visible ASCII characters stay visible ASCII characters.
  virtual bool replaces_by_segment([[maybe_unused]] std::string_view content) const { return false; }
};
using PatternPtr = std::unique_ptr<const Pattern>;

/// Finds `text`, which is not empty.
PatternPtr literal_pattern(std::string text);

/// A regular expression in Oniguruma's syntax, which `tokenizers` uses. The splitting rules of GPT-2, Llama 3 and Qwen
/// 2, and runs of spaces, are recognised and need no engine.
/// errors    UsageError that says what is wrong with it
PatternPtr regex_pattern(const std::string& regex);

}  // namespace portatune::text
