#include "portatune/text/added_tokens.h"

#include <algorithm>

#include "portatune/text/unicode/byte_block.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

bool is(char32_t c, Property property) { return (UnicodeTables::get().properties(c) & property) != 0; }

bool is_single_word(std::string_view text, size_t begin, size_t end) {
  const bool word_before = begin > 0 && is(previous_code_point(text, begin), kWord);
  size_t after = end;
  const bool word_after = end < text.size() && is(next_code_point(text, after), kWord);
  return !word_before && !word_after;
}

size_t before_space(std::string_view text, size_t begin) {
  while (begin > 0 && is(previous_code_point(text, begin), kSpace)) {
    do --begin;
    while (is_continuation(text[begin]));
  }
  return begin;
}

size_t behind_space(std::string_view text, size_t end) {
  for (size_t after = end; end < text.size() && is(next_code_point(text, after), kSpace);) end = after;
  return end;
}

}  // namespace

void AddedTokens::add(std::string_view pattern, const AddedToken& token) {
  patterns_.insert(pattern, static_cast<int32_t>(tokens_.size()));
  tokens_.push_back({token.id, token.single_word, token.lstrip, token.rstrip});
  std::vector<size_t>& sizes = sizes_[static_cast<unsigned char>(pattern.front())];
  if (sizes.empty()) first_bytes_ += pattern.front();
  if (std::find(sizes.begin(), sizes.end(), pattern.size()) == sizes.end()) sizes.push_back(pattern.size());
  std::sort(sizes.begin(), sizes.end(), std::greater());
}

void AddedTokens::find(std::string_view text, std::vector<Match>& matches) const {
  matches.clear();
  if (empty()) return;
  size_t taken = 0;  // end of the last match, with the whitespace that it includes
  for (size_t at = 0; (at = next_candidate(text, at)) < text.size();) {
    size_t size = 0;
    const Rules* token = longest_at(text, at, size);
    if (token == nullptr) {
      ++at;
      continue;
    }
    size_t begin = at, end = at + size;
    at = end;
    if (token->single_word && !is_single_word(text, begin, end)) continue;
    if (token->lstrip) begin = std::max(before_space(text, begin), taken);
    if (token->rstrip) end = behind_space(text, end);
    matches.push_back({begin, end, token->id});
    taken = end;
  }
}

// The first offset from `from` on at which a pattern may begin; the end of the text if there is none.
size_t AddedTokens::next_candidate(std::string_view text, size_t from) const {
  if (first_bytes_.size() == 1) return std::min(text.find(first_bytes_.front(), from), text.size());
  constexpr size_t kFew = 4;
  while (first_bytes_.size() <= kFew && from + sizeof(ByteBlock) <= text.size()) {
    const ByteBlock bytes = load_block(text.data() + from);
    ByteBlock others = ~ByteBlock{};
    for (const char first : first_bytes_) others &= ~in_range(bytes, static_cast<uint8_t>(first), 1);
    const size_t count = leading_count(others);
    from += count;
    if (count < sizeof(ByteBlock)) return from;
  }
  while (from < text.size() && sizes_[static_cast<unsigned char>(text[from])].empty()) ++from;
  return from;
}

const AddedTokens::Rules* AddedTokens::longest_at(std::string_view text, size_t at, size_t& size) const {
  for (const size_t candidate : sizes_[static_cast<unsigned char>(text[at])]) {
    if (at + candidate > text.size()) continue;
    const int32_t index = patterns_.find(text.substr(at, candidate));
    if (index == PieceTable::kAbsent) continue;
    size = candidate;
    return &tokens_[static_cast<size_t>(index)];
  }
  return nullptr;
}

}  // namespace portatune::text
