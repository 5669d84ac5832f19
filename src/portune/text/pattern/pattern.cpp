#include "portune/text/pattern/pattern.h"

#include "portune/text/pattern/regex.h"

namespace portune::text {
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

 private:
  std::string text_;
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
  return std::make_unique<Regex>(regex);
}

}  // namespace portune::text
