#include "portatune/text/pattern/pattern.h"

#include <algorithm>

#include "portatune/text/encode/segments.h"
#include "portatune/text/pattern/regex.h"

namespace portatune::text {
namespace {

class Literal final : public Pattern {
 public:
  explicit Literal(std::string text) : text_(std::move(text)) {}

  void find(std::string_view text, std::vector<Span>& matches) const override {
    for (size_t at = text.find(text_); at != std::string_view::npos; at = text.find(text_, at)) {
      matches.push_back({at, at + text_.size()});
      at += text_.size();
    }
  }
  bool replaces_by_segment(std::string_view content) const override {
    return text_.find(' ') == std::string::npos && !content.empty() &&
           std::all_of(content.begin(), content.end(), is_visible);
  }

 private:
  std::string text_;
};

// Runs of two or more spaces. No segment begins with such a run.
class SpaceRuns final : public Pattern {
 public:
  static constexpr std::string_view kRegex = " {2,}";

  void find(std::string_view text, std::vector<Span>& matches) const override {
    for (size_t at = text.find("  "); at != std::string_view::npos; at = text.find("  ", at)) {
      const size_t end = std::min(text.find_first_not_of(' ', at), text.size());
      matches.push_back({at, end});
      at = end;
    }
  }
  bool replaces_by_segment(std::string_view) const override { return true; }
};

template <WordRules rules>
class KnownWords final : public Pattern {
 public:
  void find(std::string_view text, std::vector<Span>& matches) const override {
    for_each_word<rules>(text, [&](size_t begin, size_t end) {
      matches.push_back({begin, end});
      return true;
    });
  }
  std::optional<WordRules> word_rules() const override { return rules; }
};

}  // namespace

PatternPtr literal_pattern(std::string text) { return std::make_unique<Literal>(std::move(text)); }

PatternPtr regex_pattern(const std::string& regex) {
  const auto rules = known_word_rules(regex);
  if (rules == WordRules::kGpt2) return std::make_unique<KnownWords<WordRules::kGpt2>>();
  if (rules == WordRules::kLlama3) return std::make_unique<KnownWords<WordRules::kLlama3>>();
  if (rules == WordRules::kQwen2) return std::make_unique<KnownWords<WordRules::kQwen2>>();
  if (regex == SpaceRuns::kRegex) return std::make_unique<SpaceRuns>();
  return std::make_unique<Regex>(regex);
}

}  // namespace portatune::text
