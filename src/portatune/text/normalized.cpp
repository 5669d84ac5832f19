#include "portatune/text/normalized.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {

void Normalized::assign(std::string_view text, int32_t first, bool with_origins) {
  text_.assign(text);
  origins_.clear();
  has_origins_ = with_origins;
  first_ = first;
  assigned_bytes_ = text.size();
  if (!with_origins) return;
  int32_t position = first;
  if (is_ascii(text)) {
    origins_.resize(text.size());
    for (Offsets& origin : origins_) {
      origin = {position, position + 1};
      ++position;
    }
    return;
  }
  for (size_t at = 0; at < text.size(); ++position) {
    next_code_point(text, at);
    origins_.resize(at, {position, position + 1});
  }
}

void Normalized::clear_like(const Normalized& other) {
  text_.clear();
  origins_.clear();
  has_origins_ = other.has_origins_;
  first_ = other.first_;
  assigned_bytes_ = other.assigned_bytes_;
}

void Normalized::require_room(size_t bytes) const {
  constexpr size_t kMaxFactor = 32, kMaxExtra = 1024;
  if (bytes <= kMaxFactor * assigned_bytes_ + kMaxExtra) return;
  throw CheckpointError(
      {.where = "the tokenizer's normalizer",
       .given = std::to_string(assigned_bytes_) + " bytes of text that grow to " + std::to_string(bytes) + " or more",
       .expected = "a normalizer whose result is at most 32 times as long as the text, plus 1 KB",
       .fix = "use a tokenizer from a trusted source"});
}

void Normalized::reserve(size_t bytes) {
  text_.reserve(bytes);
  if (has_origins_) origins_.reserve(bytes);
}

void Normalized::append(char32_t c, Offsets origin) {
  append_utf8(c, text_);
  if (has_origins_) origins_.resize(text_.size(), origin);
}

void Normalized::append(const Normalized& other, Span piece) {
  text_.append(other.text_, piece.begin, piece.end - piece.begin);
  if (!has_origins_) return;
  const auto origins = other.origins_.begin();
  origins_.insert(origins_.end(), origins + static_cast<std::ptrdiff_t>(piece.begin),
                  origins + static_cast<std::ptrdiff_t>(piece.end));
}

void Normalized::transform(std::span<const Change> changes, size_t dropped) {
  Normalized result;
  result.clear_like(*this);
  result.text_.reserve(text_.size());
  result.origins_.reserve(origins_.size());
  size_t at = 0;
  const auto skip = [&](size_t count) {
    for (; count > 0 && at < text_.size(); --count) next_code_point(text_, at);
  };
  if (has_origins_) skip(dropped);
  for (const Change& change : changes) {
    Offsets origin{first_, first_};
    if (has_origins_) {
      if (change.replaced == 0) {
        if (at > 0) origin = origins_[at - 1];
      } else if (!origins_.empty()) {
        origin = origins_[std::min(at, origins_.size() - 1)];
      }
      skip(static_cast<size_t>(change.replaced));
    }
    result.append(change.c, origin);
  }
  *this = std::move(result);
}

void Normalized::prepend(std::string_view prefix) {
  if (text_.empty()) return;
  require_room(text_.size() + prefix.size());
  text_.insert(0, prefix);
  if (has_origins_) origins_.insert(origins_.begin(), prefix.size(), Offsets(origins_.front()));
}

void Normalized::replace(std::span<const Span> matches, std::string_view content) {
  if (matches.empty()) return;
  size_t replaced = 0;
  for (const Span& match : matches) replaced += match.end - match.begin;
  require_room(text_.size() - replaced + matches.size() * content.size());
  Normalized result;
  result.clear_like(*this);
  size_t at = 0;
  for (const Span& match : matches) {
    result.append(*this, {at, match.begin});
    result.append(content, match.end == 0 ? Offsets{first_, first_} : origin_at(match.end - 1));
    at = match.end;
  }
  result.append(*this, {at, text_.size()});
  *this = std::move(result);
}

}  // namespace portatune::text
