#include "portatune/generate/growing_text.h"

#include <algorithm>

namespace portatune::generate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr text::DecodeOptions kWithoutSpecialTokens{.skip_special_tokens = true};

// The text that `ids` add to a prompt with the text `before`.
std::string text_after(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt, std::string_view before,
                       std::span<const int32_t> ids) {
  std::vector<int32_t> all(prompt.begin(), prompt.end());
  all.insert(all.end(), ids.begin(), ids.end());
  const std::string whole = tokenizer.decode(all, kWithoutSpecialTokens);
  // The text of both does not begin with `before` if the prompt ends within a character.
  return whole.starts_with(before) ? whole.substr(before.size()) : tokenizer.decode(ids, kWithoutSpecialTokens);
}

}  // namespace

std::string text_after(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt,
                       std::span<const int32_t> ids) {
  return text_after(tokenizer, prompt, tokenizer.decode(prompt, kWithoutSpecialTokens), ids);
}

std::optional<int32_t> special_token(const text::Tokenizer& tokenizer, std::string_view text) {
  const std::optional<int32_t> id = tokenizer.token_to_id(text);
  if (!id || !tokenizer.decode(std::span(&*id, 1), kWithoutSpecialTokens).empty()) return std::nullopt;
  return id;
}

size_t settled_size(std::string_view text) {
  while (text.ends_with(kReplacement)) text.remove_suffix(kReplacement.size());
  return text.size();
}

std::optional<size_t> end_of_stop(std::string_view text, std::span<const std::string> stop_strings) {
  std::optional<size_t> end;
  for (const std::string& stop : stop_strings) {
    const size_t found = text.find(stop);
    if (found != std::string_view::npos) end = std::min(end.value_or(text.size()), found + stop.size());
  }
  return end;
}

GrowingText::GrowingText(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt,
                         std::span<const std::string> stop_strings)
    : tokenizer_(&tokenizer),
      prompt_(prompt),
      before_(tokenizer.decode(prompt, kWithoutSpecialTokens)),
      stop_strings_(stop_strings) {}

std::string GrowingText::update(std::span<const int32_t> ids, bool is_last) {
  if (stopped_after_) return {};
  // Rows whose text has ended get the same tokens again while others grow.
  if (ids.size() != seen_) decode(ids);
  const size_t settled = is_last || stopped_after_ ? text_.size() : settled_size(text_);
  if (settled <= shown_) return {};
  std::string more = text_.substr(shown_, settled - shown_);
  shown_ = settled;
  return more;
}

void GrowingText::decode(std::span<const int32_t> ids) {
  text_ = text_after(*tokenizer_, prompt_, before_, ids);
  if (const std::optional<size_t> end = end_of_stop(text_, stop_strings_)) {
    stopped_after_ = tokens_until_stop(ids);
    text_.resize(*end);
  }
  seen_ = ids.size();
}

size_t GrowingText::tokens_until_stop(std::span<const int32_t> ids) const {
  for (size_t n = seen_ + 1; n < ids.size(); ++n) {
    if (end_of_stop(text_after(*tokenizer_, prompt_, before_, ids.first(n)), stop_strings_)) return n;
  }
  return ids.size();
}

}  // namespace portatune::generate
