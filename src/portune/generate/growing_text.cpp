#include "portune/generate/growing_text.h"

#include <algorithm>

namespace portune::generate {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string text_after(const text::Tokenizer& tokenizer, std::span<const int32_t> prompt,
                       std::span<const int32_t> ids) {
  const text::DecodeOptions options{.skip_special_tokens = true};
  std::vector<int32_t> all(prompt.begin(), prompt.end());
  const std::string before = tokenizer.decode(all, options);
  all.insert(all.end(), ids.begin(), ids.end());
  const std::string whole = tokenizer.decode(all, options);
  // Not so where the prompt ends in the midst of a character.
  return whole.starts_with(before) ? whole.substr(before.size()) : tokenizer.decode(ids, options);
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

std::string GrowingText::update(std::span<const int32_t> ids, bool is_last) {
  if (stopped_after_) return {};
  text_ = text_after(*tokenizer_, prompt_, ids);
  if (const std::optional<size_t> end = end_of_stop(text_, stop_strings_)) {
    stopped_after_ = tokens_until_stop(ids);
    text_.resize(*end);
  }
  seen_ = ids.size();
  const size_t settled = is_last || stopped_after_ ? text_.size() : settled_size(text_);
  if (settled <= shown_) return {};
  std::string more = text_.substr(shown_, settled - shown_);
  shown_ = settled;
  return more;
}

size_t GrowingText::tokens_until_stop(std::span<const int32_t> ids) const {
  for (size_t n = seen_ + 1; n < ids.size(); ++n) {
    if (end_of_stop(text_after(*tokenizer_, prompt_, ids.first(n)), stop_strings_)) return n;
  }
  return ids.size();
}

}  // namespace portune::generate
